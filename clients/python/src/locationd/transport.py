"""What both clients need of a socket: its path, one attempt to connect, and sentences for failures."""

import errno
import os
import socket

from .wire import Unreadable

DEFAULT_PATH = "/run/locationd/locationd.sock"
LONGEST_PATH = 107
"""Bytes of a path that fit into an address of the kernel, with the NUL behind them."""

READ_SIZE = 65536
"""Bytes of one read. A message that is complete is delivered before more is read."""

SILENCE = 10.0
"""Seconds after which a daemon that has not answered counts as unreachable."""

BACKLOG_PAUSE = 0.05
"""Seconds between attempts to connect to a daemon that has too many connections to accept: the kernel tells no program
when there is room."""

_ADVICE = "start it, for instance by `systemctl start locationd`, or name its socket in LOCATIOND_SOCKET."
CLOSED = "locationd has closed the connection; it may have been stopped or restarted."


def resolve_path(argument: str | os.PathLike[str] | None) -> str:
    """The socket's path. Raises `ValueError` for one that no socket can have."""
    path = os.fspath(argument) if argument is not None else os.environ.get("LOCATIOND_SOCKET") or DEFAULT_PATH
    if not path:
        raise ValueError("the path of the socket is empty")
    if "\0" in path:
        raise ValueError("the path of the socket contains a NUL character")
    length = len(os.fsencode(path))
    if length > LONGEST_PATH:
        raise ValueError(f"the path of the socket has {length} bytes; at most {LONGEST_PATH} are possible")
    return path


def connect_once(path: str) -> socket.socket | None:
    """A connected socket, non-blocking; `None` if the daemon has too many to accept. Raises `OSError`."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        connection.connect(path)
    except BlockingIOError:
        connection.close()
        return None
    except BaseException:
        connection.close()
        raise
    return connection


def explain(path: str, error: Exception) -> str:
    """A sentence about a failure, with the next step."""
    match error:
        case FileNotFoundError():
            return f"locationd cannot be reached: there is no socket at {path}; {_ADVICE}"
        case ConnectionRefusedError():
            return f"locationd cannot be reached: nothing listens at {path}; {_ADVICE}"
        case PermissionError():
            return f"locationd cannot be reached: this user may not use the socket {path}; its administrator can permit it."
        case TimeoutError():
            return f"locationd does not answer at {path}; `locctl diagnose` finds the cause."
        case EOFError() | ConnectionResetError() | BrokenPipeError():
            return CLOSED
        case Unreadable():
            return f"The daemon's reply cannot be read ({error}); are the versions of daemon and library compatible?"
        case OSError() if error.errno in (errno.EMFILE, errno.ENFILE):
            return "locationd cannot be reached: this program has too many open files; close some, or raise the limit."
        case OSError():
            return f"locationd cannot be reached at {path}: {error.strerror or error}; {_ADVICE}"
    return f"locationd cannot be reached at {path}: {error}"
