"""A connection for threads: what `Client` reads and writes by."""

import socket
import threading
import time

from .transport import BACKLOG_PAUSE, READ_SIZE, connect_once
from .wire import MessageBuffer


class Closed(Exception):
    """Another thread or task has closed the line."""


class Line:
    """A connection that one thread uses and any thread may close.

    Owned by the lock: `_socket` as a reference, and whether a thread is `_busy` with it. Who closes a busy line only
    shuts the socket down, which wakes its thread; that one closes the descriptor, so that the number cannot be another
    file's while it is in use.
    """

    def __init__(self) -> None:
        # A signal handler may close a line that its own thread is using.
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._busy = False
        self._socket: socket.socket | None = None
        self._buffer = MessageBuffer()

    def __enter__(self) -> None:
        with self._lock:
            if self._busy:
                raise RuntimeError("another thread iterates over this already; give each thread a watch of its own")
            self._busy = True

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._busy = False
            if self._closed.is_set():
                self.hang_up()

    def pause(self, seconds: float) -> None:
        """Waits. Raises `Closed`."""
        if self._closed.wait(seconds):
            raise Closed

    def open(self, path: str, deadline: float) -> None:
        """Connects. Raises `OSError`, `TimeoutError` after the deadline of `time.monotonic`, `Closed`."""
        self.hang_up()
        while (connection := connect_once(path)) is None:
            if time.monotonic() >= deadline:
                raise TimeoutError
            self.pause(BACKLOG_PAUSE)
        with self._lock:
            self._socket = connection
        if self._closed.is_set():
            raise Closed

    def send(self, data: bytes, deadline: float) -> None:
        """Sends everything. Raises `OSError`, `TimeoutError`, `Closed`."""
        connection = self._prepare(deadline)
        connection.sendall(data, socket.MSG_NOSIGNAL)

    def receive(self, deadline: float | None) -> bytes:
        """The next message. Raises `EOFError`, `OSError`, `TimeoutError`, `Unreadable`, `Closed`."""
        while (message := self._buffer.next_message()) is None:
            data = self._prepare(deadline).recv(READ_SIZE)
            if not data:
                if self._closed.is_set():
                    raise Closed
                raise EOFError
            self._buffer.feed(data)
        return message

    def _prepare(self, deadline: float | None) -> socket.socket:
        connection = self._socket
        if connection is None or self._closed.is_set():
            raise Closed
        if deadline is None:
            connection.settimeout(None)
        else:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            connection.settimeout(remaining)
        return connection

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def hang_up(self) -> None:
        """Closes the connection; another one can be opened."""
        with self._lock:
            connection, self._socket = self._socket, None
            self._buffer = MessageBuffer()
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Closes the line for good, from any thread."""
        self._closed.set()
        with self._lock:
            if not self._busy:
                self.hang_up()
            elif self._socket is not None:
                try:
                    self._socket.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # The daemon was faster.
