"""What both clients need of a socket: its path, one attempt to connect, and sentences for failures."""

import errno
import os
import socket
import time

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

SocketPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

CLOSED = "locationd has closed the connection; it may have been stopped or restarted."


def resolve_path(argument: SocketPath | None) -> str:
    """The socket's path. Raises `ValueError` for one that no socket can have."""
    path = os.fsdecode(argument) if argument is not None else os.environ.get("LOCATIOND_SOCKET") or DEFAULT_PATH
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


def end_connection(connection: socket.socket, process: int) -> None:
    """Closes a connection that a process has opened. May be called repeatedly.

    After a fork the child has the same connection: only the process that has opened it ends it for both, and its end
    does not wait for the child's.
    """
    if os.getpid() == process:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The daemon was faster.
    connection.close()


class NotBefore:
    """The time of the next attempt to connect.

    It is a time, not a wait: a program that asks for the next update with a short timeout, again and again, comes to it.
    """

    clock = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._time = self.clock()

    def put_off(self, seconds: float) -> None:
        """It is so many seconds from now."""
        self._time = self.clock() + seconds

    def remaining(self) -> float:
        """Seconds until then, not negative."""
        return max(0.0, self._time - self.clock())


def explain(path: str, error: Exception) -> str:
    """A sentence about a failure, with the next step."""
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return (
                f"locationd cannot be reached: there is no socket at {path}; start it, for instance by "
                "`sudo systemctl start locationd.socket`, or name its socket in LOCATIOND_SOCKET."
            )
        case ConnectionRefusedError():
            return (
                f"locationd cannot be reached: nothing listens at {path}; start it, for instance by "
                "`sudo systemctl start locationd`."
            )
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
            return f"locationd cannot be reached at {path}: {error.strerror or error}."
    return f"locationd cannot be reached at {path}: {error}"
