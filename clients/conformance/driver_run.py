"""Runs a driver for one scenario: a process that is told one call and reports events, a line each. See README.md."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from run import Run


class DriverRun:
    """A driver's process; killed with its group when it is closed."""

    def __init__(self, command: str, call: dict[str, Any], socket: Path, run: Run, *, uid: int | None = None) -> None:
        words = shlex.split(command)
        if uid is not None:
            words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--", *words]
        environment = {**os.environ, "LOCATIOND_SOCKET": str(socket), "PYTHONDONTWRITEBYTECODE": "1"}
        self._run = run
        self._said = tempfile.TemporaryFile()
        self._is_closed = False
        run.started = time.monotonic()
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, env=environment,
            start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.write_line(json.dumps(call))

    def write_line(self, text: str) -> None:
        """The call at first; later an empty line lets a driver go on that has paused."""
        assert self._process.stdin
        try:
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._run.add_fault("the driver ended before it read its input")

    def memory(self, kind: str) -> int:
        """Resident memory of the driver, KiB: `RssAnon` that belongs to it alone, `VmRSS` all, `VmHWM` the most that it was."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return 0
        return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{kind}:"))

    def forget_peak(self) -> None:
        """The most that it was counts from now on."""
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")

    def finish(self, is_hopeless: Callable[[list[dict[str, Any]]], bool]) -> None:
        """Waits for the driver's end, until the scenario's deadline or what it has written cannot become right any more."""
        judged = 0
        while self._reader.is_alive():
            if len(events := self._run.events) > judged:
                judged = len(events)
                if is_hopeless(events):
                    return self.close()
            if self._run.is_ended:
                self._run.add_fault("the driver did not end by itself in time")
                return self.close()
            with self._run.changed:
                self._run.changed.wait_for(lambda: len(self._run.events) > judged, 0.05)
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._run.add_fault("the driver closed its output and did not end")
        else:
            if code != 0:
                self._run.add_fault(f"the driver ended with {code}: {self._standard_error()}")
        self.close()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        self._reader.join(10)
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
        self._said.close()

    def _standard_error(self) -> str:
        self._said.seek(0)
        return self._said.read().decode(errors="replace")[-600:].strip() or "it said nothing"

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                event = json.loads(line, parse_constant=reject_constant)
                if not isinstance(event, dict) or not isinstance(event.get("event"), str):
                    raise ValueError("no event")
            except ValueError as error:
                self._run.add_fault(f"the driver wrote {line[:200]!r}: {error}")
            else:
                self._run.add_event(event)


def reject_constant(name: str) -> float:
    """A client must not pass NaN or an infinity on; neither may its driver write one."""
    raise ValueError(f"{name} is no number")
