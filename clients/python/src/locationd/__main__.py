"""`python -m locationd`: the position in a terminal, by this library. `locctl` can do more."""

import argparse
import io
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .base import WatchUpdate
from .client import Client, Watch
from .errors import Disabled, LocationdError, LocationUnavailable, NotAuthorized, TimedOut, Unreachable
from .text import describe, encode_result, encode_update, to_json
from .version import __version__

FAILURE = 1
USAGE = 2
UNREACHABLE = 3
NOT_AUTHORIZED = 4
NO_LOCATION = 5
INTERRUPTED = 130

LONGEST_DURATION = 31536000
"""Seconds, as in the interface."""

_EXIT_CODES = """exit codes: 0 done, 1 another error, 2 usage, 3 the daemon cannot be reached, 4 not authorized, 5 no location in time,
130 interrupted"""


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return number


def _duration(text: str) -> float:
    number = _number(text)
    if not 0 < number <= LONGEST_DURATION:
        raise argparse.ArgumentTypeError(f"{text!r} is not more than 0 and at most {LONGEST_DURATION}")
    return number


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--socket", metavar="PATH", help="the daemon's socket; else LOCATIOND_SOCKET, else the system's")
    common.add_argument("--json", action="store_true", help="JSON with the interface's names, a line each")
    parser = argparse.ArgumentParser(prog="python -m locationd", description=__doc__, epilog=_EXIT_CODES)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("status", parents=[common], help="whether there is a fix, or why there is none")
    get = commands.add_parser("get", parents=[common], help="one location")
    get.add_argument("--timeout", type=_number, metavar="SECONDS", help="to wait at most; 30 by default")
    get.add_argument("--maximum-age", type=_number, metavar="SECONDS", help="of the location; 0 by default: a new one")
    get.add_argument("--required-accuracy", type=_number, metavar="METRES", help="the accuracy to wait for")
    watch = commands.add_parser("watch", parents=[common], help="each location, and each change of the status")
    watch.add_argument("--maximum-updates", type=int, metavar="NUMBER", help="of locations, after which it ends")
    watch.add_argument("--duration", type=_duration, metavar="SECONDS", help="after which it ends, outages included")
    watch.add_argument("--minimum-interval", type=_number, metavar="SECONDS", help="between two locations")
    watch.add_argument("--distance-filter", type=_number, metavar="METRES", help="between two locations")
    watch.add_argument("--required-accuracy", type=_number, metavar="METRES", help="holds back what is worse")
    watch.add_argument("--heading", action="store_true", default=None, help="the compass as well")
    watch.add_argument("--satellites", action="store_true", default=None, help="the satellites in view as well")
    watch.add_argument("--passive", action="store_true", default=None, help="without starting the receiver")
    watch.add_argument("--purpose", metavar="TEXT", help="shown to administrators")
    return parser


@contextmanager
def _closing_after(seconds: float | None, watch: Watch) -> Iterator[None]:
    """Closes the watch so many seconds from now."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, watch.close)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _run(arguments: argparse.Namespace, client: Client, write: Callable[[str], object]) -> None:
    options = {name: value for name, value in vars(arguments).items() if name not in ("command", "socket", "json")}
    if arguments.command == "status":
        status = client.status()
        write(to_json(encode_update(status)) if arguments.json else describe(status))
    elif arguments.command == "get":
        location = client.get(**options)
        write(to_json(encode_result(location)) if arguments.json else describe(location))
    else:
        # Not the daemon's, which begins anew with each connection, and does not end where there is none.
        duration = options.pop("duration")
        with client.watch(**options) as watch, _closing_after(duration, watch):
            update: WatchUpdate
            for update in watch:
                write(to_json(encode_update(update)) if arguments.json else describe(update))


def _exit_code(error: LocationdError) -> int:
    match error:
        case Unreachable():
            return UNREACHABLE
        case NotAuthorized() | Disabled():
            return NOT_AUTHORIZED
        case TimedOut() | LocationUnavailable():
            return NO_LOCATION
        case _:
            return FAILURE


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; the result is the exit code."""
    parsed = _parser().parse_args(arguments)
    if sys.stdout is None:
        # Closed by who has started the program: print would say nothing, and succeed.
        print("the output cannot be written: standard output is closed", file=sys.stderr)
        return FAILURE
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The daemon's text may have what the terminal's character set lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        client = Client(parsed.socket)
    except ValueError as error:
        print(f"{error}; name another by --socket", file=sys.stderr)
        return USAGE
    try:
        with client:
            _run(parsed, client, lambda line: print(line, flush=True))
    except LocationdError as error:
        print(error, file=sys.stderr)
        return _exit_code(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more at the end, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"the output cannot be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    return 0


if __name__ == "__main__":
    sys.exit(main())
