"""Keeps the bytes on the wire what they are: every method's replies are recorded, and a later build's compared.

    record.py --daemon LOCATIOND [--places LOCATIOND-PLACES] [--recording FILE] [--record]

The daemon is started in temporary directories and asked what is in the parts below. Its replies are compared byte for
byte with `replies.txt`, or written there with `--record`. What time or the machine decide stands there as a
placeholder; `transcript.py` has the list of them. A line is `NAME > REQUEST` or `NAME < REPLY`, each one message
without its NUL.

Without `--places` the part about places is left as it is.

Exit status: 0 if all is equal, 1 if something differs, which is shown as a difference, 2 if it cannot be found out: it
takes root, for the daemon learns from the kernel which user asks.
"""

import argparse
import difflib
import os
import shutil
import sys
import tempfile

import calls
import daemons
import permissions
import regions
import wire

PARTS = [
    # Parts of which the rest takes time come first.
    ("visits", regions.visits), ("service", calls.service), ("watches", calls.watches), ("monitors", regions.monitors),
    ("authorizations", permissions.authorizations), ("policies", permissions.policies),
    ("configurations", permissions.configurations), ("endings", permissions.endings), ("sources", calls.sources),
    ("limits", regions.limits), ("places", calls.places), ("serving", permissions.serving)]

RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replies.txt")


def parse():
    parser = argparse.ArgumentParser(description="Compares the replies of locationd with a recording.")
    parser.add_argument("--daemon", required=True, metavar="PATH", help="the locationd to be asked")
    parser.add_argument("--places", metavar="PATH", help="the locationd-places to be asked")
    parser.add_argument("--recording", default=RECORDING, metavar="FILE", help="the recording, replies.txt by default")
    parser.add_argument("--record", action="store_true", help="write the recording anew")
    return parser.parse_args()


def play(options, root):
    """The transcripts of all parts, by the name of the part."""
    running, waiting = {}, []
    try:
        for name, part in PARTS:
            program = options.places if name == "places" else options.daemon
            if program is None:
                continue
            running[name] = daemon = daemons.prepare(name, os.path.abspath(program), os.path.join(root, name))
            daemon.start()
            # A part that has to wait for time to pass is a generator, and goes on when the others are over.
            rest = part(daemon)
            if rest is None:
                daemon.stop()
            else:
                next(rest)
                waiting.append((daemon, rest))
        for daemon, rest in waiting:
            for _ in rest:
                pass
            daemon.stop()
    except BaseException as error:
        for daemon in running.values():
            daemon.kill()
        if isinstance(error, (wire.Failure, OSError)) and running:
            show_end(list(running.values())[-1])
        raise
    return {name: daemon.transcript for name, daemon in running.items()}


def show_end(daemon):
    """What was said last, and what the daemon has logged."""
    with open(daemon.log, encoding="utf-8", errors="replace") as log:
        print(*daemon.transcript.lines[-8:], log.read()[-4000:], sep="\n", file=sys.stderr)


def split(text):
    """The lines of a recording by the name of the part."""
    parts, name = {}, None
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("#### "):
            name = line[5:]
            parts[name] = []
        elif name is not None:
            parts[name].append(line)
    return parts


def recorded_parts(options):
    if not os.path.exists(options.recording):
        return {}
    with open(options.recording, encoding="utf-8", newline="\n") as file:
        return split(file.read())


def write(path, parts):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for name, _ in PARTS:
            if name in parts:
                file.write("#### %s\n%s\n" % (name, "\n".join(parts[name])))


def main():
    options = parse()
    if os.getuid() != 0:
        print("skipped: only root can ask in the name of several users", file=sys.stderr)
        return 2
    for program in filter(None, (options.daemon, options.places)):
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            print("%s is not a program" % program, file=sys.stderr)
            return 2
    recorded = recorded_parts(options)
    if not recorded and not options.record:
        print("there is no recording; make one with --record", file=sys.stderr)
        return 2
    os.umask(0o022)
    root = tempfile.mkdtemp(prefix="locationd-wire.")
    # Users other than root have to come to the sockets.
    os.chmod(root, 0o755)
    try:
        transcripts = play(options, root)
    except wire.Skipped as reason:
        print("skipped: %s" % reason, file=sys.stderr)
        return 2
    except (wire.Failure, OSError) as failure:
        print("failed: %s" % failure, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(root, ignore_errors=True)
    lines = {name: transcript.lines for name, transcript in transcripts.items()}
    requests = sum(transcript.requests for transcript in transcripts.values())
    if options.record:
        write(options.recording, {**recorded, **lines})
        print("%d requests and their replies are recorded" % requests)
        return 0
    difference = []
    for name in lines:
        difference += difflib.unified_diff(
            recorded.get(name, []), lines[name], name + " as recorded", name + " now", lineterm="")
    print("\n".join(difference) if difference else "%d requests are answered as recorded" % requests)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
