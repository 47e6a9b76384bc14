"""A connection for tasks: what `AsyncClient` reads and writes by."""

import asyncio
import socket

from .line import Closed
from .transport import BACKLOG_PAUSE, READ_SIZE, connect_once
from .wire import MessageBuffer


class AsyncLine:
    """A connection that one task uses and any task of the loop may close.

    A socket without a stream: a stream reads ahead, and what it has read is old when the program asks for it. Who closes
    a line that a task waits for only shuts the socket down, which wakes that task; it closes the descriptor, so that the
    loop never waits for a closed one.
    """

    def __init__(self) -> None:
        self._closed = asyncio.Event()
        self._busy = False
        self._socket: socket.socket | None = None
        self._buffer = MessageBuffer()

    def __enter__(self) -> None:
        if self._busy:
            raise RuntimeError("another task iterates over this already; give each task a watch of its own")
        self._busy = True

    def __exit__(self, *_: object) -> None:
        self._busy = False
        if self._closed.is_set():
            self.hang_up()

    async def pause(self, seconds: float) -> None:
        """Waits. Raises `Closed`."""
        try:
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        except TimeoutError:
            return
        raise Closed

    async def open(self, path: str) -> None:
        """Connects. Raises `OSError`, `Closed`."""
        self.hang_up()
        # The loop's own sock_connect takes a full backlog for a connection in progress.
        while (connection := connect_once(path)) is None:
            await self.pause(BACKLOG_PAUSE)
        self._socket = connection

    async def send(self, data: bytes) -> None:
        """Sends everything. Raises `OSError`, `Closed`."""
        await asyncio.get_running_loop().sock_sendall(self._open_socket(), data)

    async def receive(self) -> bytes:
        """The next message. Raises `EOFError`, `OSError`, `Unreadable`, `Closed`. It may be cancelled and called again."""
        loop = asyncio.get_running_loop()
        while (message := self._buffer.next_message()) is None:
            # A daemon that always has data must not keep the other tasks from running.
            await asyncio.sleep(0)
            data = await loop.sock_recv(self._open_socket(), READ_SIZE)
            if self._closed.is_set():
                raise Closed
            if not data:
                raise EOFError
            self._buffer.feed(data)
        return message

    def _open_socket(self) -> socket.socket:
        if self._socket is None or self._closed.is_set():
            raise Closed
        return self._socket

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def hang_up(self) -> None:
        """Closes the connection; another one can be opened."""
        connection, self._socket = self._socket, None
        self._buffer = MessageBuffer()
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Closes the line for good."""
        self._closed.set()
        if not self._busy:
            self.hang_up()
        elif self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # The daemon was faster.
