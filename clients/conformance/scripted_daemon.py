"""A daemon that sends what a scenario says, byte for byte, and nothing by the clock.

The script is chosen by the method that is called: the n-th call of a method runs the n-th list of steps. So a client may
make calls of its own between, such as GetStatus, which are answered with a plain status; what is beyond the script gets a
status and silence. A step that waits does so for what the client has done, never for a time, except in the scenarios that
are about silence.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from messages import INTERFACE, Messages
from run import Ended, Run

#: Seconds without progress after which a client is known not to read.
BLOCKED = 1.0


class ScriptedDaemon:
    """Listens at a path until it is closed; one thread for each connection."""

    def __init__(self, path: Path, script: dict[str, Any], run: Run, *, resume: Callable[[], None],
                 memory: Callable[[str], int], forget_peak: Callable[[], None]) -> None:
        """`resume` lets a paused driver go on; `memory` and `forget_peak` are of its memory."""
        self._path, self._script, self._run = path, script, run
        self._resume, self._memory, self._forget_peak = resume, memory, forget_peak
        self._memory_before = 0
        self._messages = Messages()
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._is_refusing = False
        self._connections: set[socket.socket] = set()
        self._counts: dict[str, int] = {}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        if self._script.get("listening", True):
            self._listen()
        if timeline := self._script.get("timeline"):
            self._spawn(lambda: self._perform(timeline, None))

    def close(self) -> None:
        self._vanish()
        for thread in self._threads:
            thread.join(10)

    def _spawn(self, body: Callable[[], None]) -> None:
        def guarded() -> None:
            # A connection that the client or the scenario ends is no fault of the daemon's.
            with contextlib.suppress(Ended, OSError):
                body()
        thread = threading.Thread(target=guarded, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _listen(self) -> None:
        listener = socket.socket(socket.AF_UNIX)
        # The name appears with the listener behind it, as it does for the daemon.
        temporary = self._path.with_suffix(".new")
        listener.bind(str(temporary))
        listener.listen(64)
        os.chmod(temporary, 0o666)
        os.rename(temporary, self._path)
        with self._lock:
            self._listener = listener
        self._spawn(lambda: self._accept(listener))

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            with self._lock:
                if self._listener is not listener:
                    connection.close()
                    return
                if is_refused := self._is_refusing:
                    self._run.add_attempt()
                    close(connection)
                else:
                    self._connections.add(connection)
            if is_refused:
                continue
            self._spawn(lambda connection=connection: self._serve(connection))

    def _refuse(self) -> None:
        """Closes every connection, and from now on each new one at once; notes when they come."""
        with self._lock:
            self._is_refusing = True
            connections, self._connections = self._connections, set()
        for connection in connections:
            close(connection)

    def _vanish(self) -> None:
        """Ends as a process does: the socket's name may stay or go, every connection closes."""
        with self._lock:
            listener, self._listener = self._listener, None
            connections, self._connections = self._connections, set()
        with contextlib.suppress(OSError):
            self._path.unlink()
        if listener:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for connection in connections:
            close(connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            rest = b""
            while data := connection.recv(65536):
                *messages, rest = (rest + data).split(b"\0")
                for message in messages:
                    if not self._answer(connection, message):
                        return
        finally:
            with self._lock:
                self._connections.discard(connection)
            close(connection)

    def _answer(self, connection: socket.socket, message: bytes) -> bool:
        """Runs the steps for a call; false once the connection is closed."""
        try:
            call = json.loads(message)
            method = call["method"].removeprefix(INTERFACE + ".")
        except (ValueError, KeyError, AttributeError) as error:
            self._run.add_fault(f"the client sent {message[:200]!r}, which is no call: {error}")
            return False
        with self._lock:
            index = self._counts.get(method, 0)
            self._counts[method] = index + 1
        self._run.add_call({"method": method, "parameters": call.get("parameters") or {}, "more": bool(call.get("more"))})
        lists = self._script.get(method, [])
        if index < len(lists):
            steps = lists[index]
        else:
            steps = self._script.get("otherwise", {}).get(method) or beyond_script(method)
        return self._perform(steps, connection)

    def _perform(self, steps: list[dict[str, Any]], connection: socket.socket | None) -> bool:
        for step in steps:
            if "afterEvents" in step:
                self._run.wait_for_events(step["afterEvents"])
            elif "afterKind" in step:
                self._run.wait_for_kind(step["afterKind"], step.get("number", 1))
            elif "afterCalls" in step:
                self._run.wait_for_calls(step["afterCalls"], step["number"])
            elif "afterSeconds" in step:
                self._run.pause(step["afterSeconds"])
            elif "listen" in step:
                self._listen()
            elif "refuse" in step:
                self._refuse()
                if connection:
                    return False
            elif "answer" in step:
                with self._lock:
                    self._is_refusing = False
            elif "vanish" in step:
                self._vanish()
                if connection:
                    return False
            elif "close" in step:
                assert connection
                close(connection)
                return False
            elif step.get("memory") == "before":
                self._forget_peak()
                self._memory_before = self._memory("VmRSS")
            elif step.get("memory") == "peak":
                with self._run.changed:
                    self._run.growth = self._memory("VmHWM") - self._memory_before
            elif "flood" in step:
                assert connection
                self._flood(connection, step["flood"])
            else:
                assert connection
                self._send(connection, step)
        return True

    def _send(self, connection: socket.socket, step: dict[str, Any]) -> None:
        if "together" in step:
            connection.sendall(b"".join(map(self._messages.message, step["together"])))
        elif "bytewise" in step:
            for byte in self._messages.message(step["bytewise"]):
                connection.sendall(bytes([byte]))
        elif "half" in step:
            message = self._messages.message(step["half"])
            connection.sendall(message[: len(message) // 2])
        else:
            connection.sendall(self._messages.message(step))

    def _flood(self, connection: socket.socket, size: int) -> None:
        """Sends locations to a driver that does not ask, until it is blocked or has taken all; measures its memory.

        Then the driver goes on, and is sent what was left of the message that blocked.
        """
        before, sent, sequence = self._memory("RssAnon"), 0, 100
        connection.setblocking(False)
        pending = b""
        while sent < size:
            if not pending:
                sequence += 1
                pending = self._messages.reply({"location": {"sequence": sequence}}, True)
            if not select.select([], [connection], [], BLOCKED)[1]:
                break
            count = connection.send(pending)
            sent, pending = sent + count, pending[count:]
        connection.setblocking(True)
        with self._run.changed:
            self._run.growth = self._memory("RssAnon") - before
        self._resume()
        connection.sendall(pending)


def beyond_script(method: str) -> list[dict[str, Any]]:
    """What a call gets for which the scenario has no steps."""
    if method == "GetStatus":
        return [{"last": {"status": {}}}]
    if method == "ListMonitors":
        return [{"last": {"monitors": []}}]
    if method in ("Watch", "Monitor"):
        return [{"reply": {"status": {}}}]
    if method in ("ChangeRegions", "RemoveMonitor"):
        return [{"last": {}}]
    return [{"error": "org.varlink.service.MethodNotFound", "parameters": {"method": f"{INTERFACE}.{method}"}}]


def close(connection: socket.socket) -> None:
    """Ends the connection now, also for a thread that reads from it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
