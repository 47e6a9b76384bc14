"""What happens while one scenario runs against one driver: the events, the calls, and waiting for them.

Everything in here is shared between the thread that reads the driver, the threads of the daemon and the judge; each
piece of state is changed under `changed` alone.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any


class Ended(Exception):
    """The scenario is over; a script stops where it is."""


class Run:
    """The record of one scenario with one driver."""

    def __init__(self, seconds: float) -> None:
        self.changed = threading.Condition()
        #: What the driver has written, one object a line.
        self.events: list[dict[str, Any]] = []
        #: What the daemon was called with: method, parameters, more.
        self.calls: list[dict[str, Any]] = []
        #: What was noticed beside the events, each a sentence; any of them fails the scenario.
        self.faults: list[str] = []
        #: Kibibytes by which the driver's memory grew while it did not read, or by what it read; `None` if that was not measured.
        self.growth: int | None = None
        #: When the driver was started and when its first event came; monotonic, as all times here.
        self.started: float | None = None
        self.first_event: float | None = None
        #: When the daemon was connected to while it refused.
        self.attempts: list[float] = []
        self.deadline = time.monotonic() + seconds
        self.is_over = False

    def add_event(self, event: dict[str, Any]) -> None:
        now = time.monotonic()
        with self.changed:
            self.first_event = self.first_event or now
            self.events.append(event)
            self.changed.notify_all()

    def add_call(self, call: dict[str, Any]) -> None:
        with self.changed:
            self.calls.append(call)
            self.changed.notify_all()

    def add_attempt(self) -> None:
        with self.changed:
            self.attempts.append(time.monotonic())

    def add_fault(self, sentence: str) -> None:
        with self.changed:
            self.faults.append(sentence)
            self.changed.notify_all()

    def finish(self) -> None:
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    @property
    def is_ended(self) -> bool:
        """It is over, or has taken longer than it may."""
        return self.is_over or time.monotonic() > self.deadline

    def wait(self, condition: Any) -> None:
        """Waits until the condition holds; ends the script if the scenario ends before."""
        with self.changed:
            while not condition():
                remaining = self.deadline - time.monotonic()
                if self.is_over or remaining <= 0:
                    raise Ended
                self.changed.wait(remaining)

    def wait_for_events(self, number: int) -> None:
        self.wait(lambda: len(self.events) >= number)

    def wait_for_kind(self, kind: str, number: int) -> None:
        """Waits until the driver has written so many events of a kind; `outage` is a status that the client made."""
        def is_of_kind(event: dict[str, Any]) -> bool:
            return bool(event.get("outage")) if kind == "outage" else event.get("event") == kind
        self.wait(lambda: sum(map(is_of_kind, self.events)) >= number)

    def wait_for_calls(self, method: str, number: int) -> None:
        self.wait(lambda: sum(call["method"] == method for call in self.calls) >= number)

    def pause(self, seconds: float) -> None:
        """Lets time pass, for scenarios about silence alone."""
        end = time.monotonic() + seconds
        with self.changed:
            while not self.is_over and (rest := end - time.monotonic()) > 0:
                self.changed.wait(rest)
        if self.is_over:
            raise Ended


class Runs:
    """The runs under way, so that all of them can be ended at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: set[Run] = set()
        self._is_over = False

    @contextlib.contextmanager
    def holding(self, run: Run) -> Iterator[None]:
        with self._lock:
            self._runs.add(run)
            if self._is_over:
                run.finish()
        try:
            yield
        finally:
            with self._lock:
                self._runs.discard(run)

    def finish(self) -> None:
        """Ends each, and those that begin later."""
        with self._lock:
            self._is_over = True
            for run in self._runs:
                run.finish()
