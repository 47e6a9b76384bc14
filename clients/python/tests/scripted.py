"""A daemon in this process that does what a test's script says."""

import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from typing import Any

PATIENCE = 60.0
"""Seconds after which a test fails that waits for what never happens; nothing else depends on it."""


class Peer:
    """The daemon's end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.socket.settimeout(PATIENCE)
        self._rest = b""

    def call(self) -> dict[str, Any]:
        """The next call."""
        while b"\0" not in self._rest:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self._rest += data
        message, self._rest = self._rest.split(b"\0", 1)
        call = json.loads(message)
        assert isinstance(call, dict)
        return call

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def reply(self, last: bool = False, **parameters: object) -> None:
        self.send(message(last, **parameters))

    def error(self, name: str, /, **parameters: object) -> None:
        self.send(json.dumps({"error": name, "parameters": parameters}).encode() + b"\0")

    def until_closed(self) -> None:
        """Returns when the client has closed the connection."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass


def message(last: bool = False, **parameters: object) -> bytes:
    """A reply's bytes."""
    reply: dict[str, object] = {"parameters": parameters}
    if not last:
        reply["continues"] = True
    return json.dumps(reply).encode() + b"\0"


class ScriptedDaemon:
    """Serves each connection by the next function of the script, in a thread of its own.

    What a function raises fails the test in `finish`. A connection is closed when its function returns.
    """

    def __init__(self) -> None:
        self.directory = tempfile.mkdtemp()
        self.path = os.path.join(self.directory, "socket")
        self._threads: list[threading.Thread] = []
        self._failure: BaseException | None = None

    def start(self, *script: Callable[[Peer], object]) -> None:
        """Listens, and serves by a script. The socket is gone when the last function has its connection."""
        listener = socket.socket(socket.AF_UNIX)
        listener.settimeout(PATIENCE)
        listener.bind(self.path)
        listener.listen()
        self._run(self._listen, listener, script)

    def _run(self, function: Callable[..., object], *arguments: object) -> None:
        def run() -> None:
            try:
                function(*arguments)
            except BaseException as error:
                self._failure = error

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _listen(self, listener: socket.socket, script: tuple[Callable[[Peer], object], ...]) -> None:
        with listener:
            for index, function in enumerate(script):
                connection, _ = listener.accept()
                if index == len(script) - 1:
                    os.unlink(self.path)
                    listener.close()
                self._run(self._serve, connection, function)

    def _serve(self, connection: socket.socket, function: Callable[[Peer], object]) -> None:
        with connection:
            function(Peer(connection))

    def finish(self) -> None:
        """Waits for the end of the script."""
        while self._threads:
            thread = self._threads.pop(0)
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the script has not ended"
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def remove(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
