"""What the tests of both clients share."""

from contextlib import ExitStack
from typing import Any
from unittest import mock

from .adapters import Clock
from .scripted import ScriptedDaemon

INTERFACE = "org.locationd.location."


class ClientContract:
    """Tests whose two subclasses say for which client."""

    adapter_type: type[Any]

    def setUp(self: Any) -> None:
        self.daemon = ScriptedDaemon()
        self.addCleanup(self.daemon.remove)
        self.adapter = self.adapter_type(self.daemon.path)
        self.addCleanup(self.adapter.close)
        self.pauses: list[float] = []
        self.on_pause = lambda: None
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)
        self.clock = Clock(self.stack)

        def pause(seconds: float) -> None:
            # Also called before the first attempt, which waits for nothing.
            if seconds > 0:
                self.pauses.append(seconds)
                self.clock.advance(seconds)
                self.on_pause()

        self.adapter_type.replace_pause(self.stack, pause)
        # The longest of each pause.
        self.stack.enter_context(mock.patch("locationd.session.random.random", return_value=1.0))

    def patience(self: Any, seconds: float) -> None:
        """Shortens the wait for a daemon that does not answer in this test."""
        self.stack.enter_context(mock.patch.object(self.adapter_type.module, "SILENCE", seconds))

    def next(self: Any, updates: Any) -> Any:
        return self.adapter.next(updates)
