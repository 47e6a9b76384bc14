"""A connection for threads: what `Client` reads and writes by."""

import os
import socket
import threading
import time

from .transport import BACKLOG_PAUSE, READ_SIZE, connect_once, end_connection
from .wire import MessageBuffer


class Closed(Exception):
    """Another thread or task, or a signal handler, has closed the line."""


class Line:
    """A connection that one thread uses, and any thread or signal handler may close.

    Owned by the lock: `_socket` as a reference, and the thread that uses it. Who closes the line of another thread only
    shuts the socket down, which wakes that thread; that one closes the descriptor, so that the number cannot be another
    file's while it is in use. A signal handler runs in the thread that it interrupts, and may close at once: the
    system's call that it has interrupted is repeated with the descriptor that the socket has then, which is none.

    The owner is a thread and no mark that it is in use: an exception of a signal handler may come where nothing takes
    the mark away. The same thread may enter again then.
    """

    def __init__(self) -> None:
        # Of locks only these two kinds can be used by a signal handler that interrupts their own user; no Event can.
        self._lock = threading.RLock()
        self._gate = threading.Lock()
        # Held until the line is closed.
        self._gate.acquire()
        self._closed = False
        self._owner: int | None = None
        self._process = os.getpid()
        self._socket: socket.socket | None = None
        self._buffer = MessageBuffer()

    def __enter__(self) -> None:
        with self._lock:
            if self._owner not in (None, threading.get_ident()):
                raise RuntimeError("another thread iterates over this already; give each thread a watch of its own")
            self._owner = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._owner = None
            if self._closed:
                self.hang_up()

    def pause(self, seconds: float) -> None:
        """Waits. Raises `Closed`."""
        if self._gate.acquire(timeout=seconds):
            raise Closed

    def open(self, path: str, deadline: float) -> None:
        """Connects. Raises `OSError`, `TimeoutError` after the deadline of `time.monotonic`, `Closed`."""
        self.hang_up()
        connection = None
        try:
            while (connection := connect_once(path)) is None:
                if time.monotonic() >= deadline:
                    raise TimeoutError
                self.pause(BACKLOG_PAUSE)
            with self._lock:
                self._socket, self._process = connection, os.getpid()
        except BaseException:
            if connection is not None:
                connection.close()
            raise
        if self._closed:
            raise Closed

    def send(self, data: bytes, deadline: float) -> None:
        """Sends everything. Raises `OSError`, `TimeoutError`, `Closed`."""
        connection = self._prepare(deadline)
        try:
            connection.sendall(data, socket.MSG_NOSIGNAL)
        except BlockingIOError:
            raise TimeoutError from None

    def receive(self, deadline: float | None) -> bytes:
        """The next message. Raises `EOFError`, `OSError`, `TimeoutError`, `Unreadable`, `Closed`.

        What has come is a message after the deadline too: it is the daemon that has to keep it, not the program.
        """
        while (message := self._buffer.next_message()) is None:
            connection = self._prepare(deadline)
            try:
                if not self._buffer.read(connection.recv, READ_SIZE):
                    raise Closed if self._closed else EOFError
            except BlockingIOError:
                raise TimeoutError from None
        return message

    def _prepare(self, deadline: float | None) -> socket.socket:
        """The socket, which waits until the deadline; after it, not at all."""
        connection = self._socket
        if connection is None or self._closed:
            raise Closed
        connection.settimeout(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return connection

    @property
    def is_closed(self) -> bool:
        return self._closed

    def hang_up(self) -> None:
        """Closes the connection; another one can be opened."""
        with self._lock:
            # In this order an exception of a signal handler leaves nothing open that nobody knows.
            if self._socket is not None:
                end_connection(self._socket, self._process)
            self._socket = None
            self._buffer = MessageBuffer()

    def close(self) -> None:
        """Closes the line for good, from any thread or signal handler."""
        self._closed = True
        try:
            self._gate.release()
        except RuntimeError:
            pass  # It was closed before.
        if os.getpid() != self._process:
            # The threads that may have had these at the fork are not in this process.
            self._lock, self._owner = threading.RLock(), None
        with self._lock:
            if self._owner in (None, threading.get_ident()):
                self.hang_up()
            elif self._socket is not None:
                try:
                    self._socket.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # The daemon was faster.
