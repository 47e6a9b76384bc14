"""Connections without a daemon and without a thread: what the client reads is there before it connects."""

import os
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any
from unittest import mock

from .scripted import PATIENCE


class Pairs:
    """Gives each attempt to connect one end of a pair of sockets, from whose other end the same bytes have been sent."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data
        self.peers: list[socket.socket] = []
        self._patches = [mock.patch(f"locationd.{module}.connect_once", self._connect) for module in ("line", "async_line")]

    def _connect(self, _: str) -> socket.socket:
        connection, peer = socket.socketpair(socket.AF_UNIX)
        connection.setblocking(False)
        peer.settimeout(PATIENCE)
        peer.sendall(self._data)
        self.peers.append(peer)
        return connection

    def __enter__(self) -> "Pairs":
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in self._patches:
            patch.stop()
        self.hang_up()

    def hang_up(self) -> None:
        """Ends every connection from the other end."""
        while self.peers:
            self.peers.pop().close()


def in_a_child(function: Callable[[], object]) -> int:
    """Forks; the child calls a function, and is gone. The result is the child's."""
    child = os.fork()
    if child == 0:
        try:
            function()
        finally:
            os._exit(0)
    return child


def at_each_moment(prepare: Callable[[], tuple[Callable[[], object], Callable[[], object]]], files: set[str]) -> int:
    """Does what a signal's handler does, after each line of a function that is in one of these files.

    `prepare` makes the function and the handler anew. What the handler raises goes through the function, and is not
    raised further. The result is how many moments there were.
    """
    moment = 0
    while True:
        moment += 1
        function, handler = prepare()
        seen = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal seen
            if frame.f_code.co_filename not in files:
                return None
            if event in ("line", "return"):
                seen += 1
                if seen == moment:
                    sys.settrace(None)
                    handler()
            return trace

        previous = sys.gettrace()
        sys.settrace(trace)
        try:
            function()
        except (Interrupt, StopIteration, RuntimeError):
            pass
        finally:
            sys.settrace(previous)
        if seen < moment:
            return moment - 1


class Interrupt(Exception):
    """What a handler raises."""
