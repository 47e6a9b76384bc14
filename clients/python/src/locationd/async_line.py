"""A connection for tasks: what `AsyncClient` reads and writes by."""

import asyncio
import os
import socket
from typing import Any

from .line import Closed
from .transport import BACKLOG_PAUSE, READ_SIZE, connect_once, end_connection
from .wire import MessageBuffer


class AsyncLine:
    """A connection that one task uses and any task of the loop may close.

    A socket without a stream: a stream reads ahead, and what it has read is old when the program asks for it. Who closes
    the line of another task only shuts the socket down, which wakes that task; it closes the descriptor, so that the
    loop never waits for a closed one.

    The owner is a task and no mark that it is in use: where an exception of a signal handler has left it behind, the
    same task may enter again, and any task when that one is done.
    """

    def __init__(self) -> None:
        self._closed = asyncio.Event()
        self._owner: asyncio.Task[Any] | None = None
        self._process = os.getpid()
        self._socket: socket.socket | None = None
        self._buffer = MessageBuffer()

    def __enter__(self) -> None:
        if self._is_anothers():
            raise RuntimeError("another task iterates over this already; give each task a watch of its own")
        self._owner = asyncio.current_task()

    def __exit__(self, *_: object) -> None:
        self._owner = None
        if self._closed.is_set():
            self.hang_up()

    def _is_anothers(self) -> bool:
        if self._owner is None or self._owner.done():
            return False
        try:
            return self._owner is not asyncio.current_task()
        except RuntimeError:
            return True  # No loop runs in this thread.

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
        self._socket, self._process = connection, os.getpid()

    async def send(self, data: bytes) -> None:
        """Sends everything. Raises `OSError`, `Closed`."""
        await asyncio.get_running_loop().sock_sendall(self._open_socket(), data)

    async def receive(self, deadline: float | None) -> bytes:
        """The next message. Raises `EOFError`, `OSError`, `TimeoutError`, `Unreadable`, `Closed`.

        It may be cancelled and called again: it waits without reading, and does not wait between reading and keeping
        what it has read. The loop's own sock_recv reads before the task runs, and a cancellation that comes in between
        loses that. What has come is a message after the deadline of the loop's clock too.
        """
        while (message := self._buffer.next_message()) is None:
            # A daemon that always has data must not keep the other tasks from running.
            await asyncio.sleep(0)
            try:
                data = self._open_socket().recv(READ_SIZE)
            except BlockingIOError:
                await self._wait_for_data(deadline)
                continue
            if not data:
                raise EOFError
            self._buffer.feed(data)
        return message

    async def _wait_for_data(self, deadline: float | None) -> None:
        loop = asyncio.get_running_loop()
        if deadline is not None and loop.time() >= deadline:
            raise TimeoutError
        woken = loop.create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)

        descriptor = self._open_socket().fileno()
        loop.add_reader(descriptor, wake)
        timer = loop.call_at(deadline, wake) if deadline is not None else None
        try:
            await woken
        finally:
            loop.remove_reader(descriptor)
            if timer is not None:
                timer.cancel()

    def _open_socket(self) -> socket.socket:
        if self._socket is None or self._closed.is_set():
            raise Closed
        return self._socket

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def hang_up(self) -> None:
        """Closes the connection; another one can be opened."""
        if self._socket is not None:
            end_connection(self._socket, self._process)
        self._socket = None
        self._buffer = MessageBuffer()

    def close(self) -> None:
        """Closes the line for good."""
        self._closed.set()
        if os.getpid() != self._process or not self._is_anothers():
            self.hang_up()
        elif self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # The daemon was faster.
