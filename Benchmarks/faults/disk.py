"""The disk of the state directory is full, read-only, or does not answer."""

import json
import os
import pathlib
import signal
import subprocess
import time

from library.client import Client
from faults.fixture import scene

#: Where an error can be made.
SYSTEM = pathlib.Path("/sys/fs/ext4")


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True)


def fill(folder):
    """Takes all the room that is left."""
    with open(folder / "filler", "ab", buffering=0) as file:
        try:
            while file.write(bytes(512)):
                pass
        except OSError:
            pass


def administrator(service, method):
    client = Client(service.control)
    try:
        return client.call(f"org.locationd.admin.{method}")
    finally:
        client.close()


def small_state(stage):
    """A state directory of 64 KiB."""
    state = stage.directory / "state"
    state.mkdir(0o700)
    mount("-t", "tmpfs", "-o", "size=64k,mode=700", "none", state)
    stage.stack.callback(subprocess.run, ["umount", "-l", str(state)])
    return state


def ext4(stage):
    """A state directory on a disk of its own that becomes read-only by an error."""
    state, image = stage.directory / "state", stage.directory / "image"
    state.mkdir()
    with open(image, "wb") as file:
        file.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-e", "remount-ro", str(image)], check=True)
    mount("-o", "loop", image, state)
    stage.stack.callback(subprocess.run, ["umount", "-l", str(state)])
    state.chmod(0o700)
    return state


def unkept(stage, spoil, mend):
    """The state cannot be kept for 8 s of service, then it can, if there is a way."""
    outcome, service = stage.outcome, stage.service
    watches = stage.watch()
    spoil()
    watches.mark()
    time.sleep(4)
    reply = administrator(service, "Start")
    outcome.promise("error" in reply, f"a decision that cannot be kept was answered {reply}")
    time.sleep(4)
    outcome.promise("cannot be kept" in service.log, "the log does not say that the state cannot be kept")
    if mend:
        mend()
        reply = administrator(service, "Start")
        outcome.promise("error" not in reply, f"with room again, a decision was answered {reply}")
        state = json.loads((service.state / "state.json").read_text())
        outcome.promise(state["enabled"] is True, "the state on the disk is not that of the daemon")
    report = watches.await_all()
    outcome.again = "never stopped"
    stage.nothing_is_lost(report)
    outcome.settle(service)
    return outcome


def full(options):
    """The disk is full while the daemon runs, and has room again after 8 s."""
    with scene(options) as stage:
        state = small_state(stage)
        stage.serve()
        return unkept(stage, lambda: fill(state), lambda: (state / "filler").unlink())


def full_at_start(options):
    """The disk is full before the daemon first starts."""
    with scene(options) as stage:
        state = small_state(stage)
        fill(state)
        stage.serve()
        return unkept(stage, lambda: None, lambda: (state / "filler").unlink())


def read_only(options):
    """ext4 meets an error while the daemon runs and takes nothing more, as it does until it is checked."""
    with scene(options) as stage:
        state = ext4(stage)
        stage.serve()
        number = state.stat().st_dev
        device = os.path.basename(os.path.realpath(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"))
        return unkept(stage, lambda: (SYSTEM / device / "trigger_fs_error").write_text("a benchmark"), None)


def read_only_at_start(options):
    """The file system is read-only before the daemon first starts."""
    with scene(options) as stage:
        state = small_state(stage)
        mount("-o", "remount,ro", "none", state)
        stage.serve()
        return unkept(stage, lambda: None, lambda: mount("-o", "remount,rw", "none", state))


def hung(options):
    """The disk does not answer for 10 s of service, and then the daemon is asked to end."""
    with scene(options) as stage:
        state = ext4(stage)
        service, watches = stage.serve(), stage.watch()
        outcome = stage.outcome
        subprocess.run(["fsfreeze", "-f", str(state)], check=True)
        is_frozen = True
        try:
            watches.mark()
            # Something to be kept, which nobody waits for.
            waiting = Client(service.control)
            waiting.socket.sendall(b'{"method":"org.locationd.admin.Start","parameters":{}}\0')
            time.sleep(10)
            report = watches.await_all()
            stage.nothing_is_lost(report)
            outcome.promise("error" not in administrator(service, "ListClients"), "the administrator is not served")
            service.figures()
            ended, began = len(service.ends), time.monotonic()
            os.kill(service.pid, signal.SIGTERM)
            while watches.report()["ends"] < watches.count and time.monotonic() < began + 30:
                time.sleep(0.01)
            told = time.monotonic() - began
            outcome.promise(told < 6, f"the watches are let go after {told:.1f} s")
            outcome.remark(f"asked to end, it lets its watches go after {told:.2f} s")
            while not has_left(service.pid) and time.monotonic() < began + 30:
                time.sleep(0.05)
            left = time.monotonic() - began
            outcome.promise(left < 15, f"it has not left after {left:.1f} s, and systemd waits for 15")
            outcome.remark(f"it leaves after {left:.1f} s")
            subprocess.run(["fsfreeze", "-u", str(state)], check=True)
            is_frozen = False
            service.await_end(ended)
        finally:
            if is_frozen:
                subprocess.run(["fsfreeze", "-u", str(state)], check=True)
        watches.mark()
        report = watches.await_all()
        outcome.again = f"never stopped; {report['again'] or 60:.2f} s after the end"
        outcome.promise(report["served"] == watches.count, "fixes do not flow again")
        outcome.settle(service)
        return outcome


def has_left(pid):
    """True once nothing but a wait for the disk keeps the process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                return True
        threads = os.listdir(f"/proc/{pid}/task")
        return all(is_stuck(pid, thread) for thread in threads)
    except FileNotFoundError:
        return True


def is_stuck(pid, thread):
    """A thread that has exited, or will when the disk answers: in both cases it runs no code of the daemon."""
    try:
        with open(f"/proc/{pid}/task/{thread}/status") as file:
            status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    except FileNotFoundError:
        return True
    is_killed = int(status["SigPnd"], 16) >> (signal.SIGKILL - 1) & 1
    return status["State"][0] in "ZX" or status["State"][0] == "D" and is_killed


FAULTS = [full, full_at_start, read_only, read_only_at_start, hung]
