"""The rules of a watch or monitor that outlives the daemon. Pure: no I/O, no clock.

The owner of a session opens a connection after `delay` when `phase` is `OPENING`, sends `call()` on it and says
`called()`. In the two phases after that it hands over each message that it reads, and says when the connection is lost.
Whenever the phase is `OPENING` or `ENDED` after that, it closes the connection.
"""

import random
from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

from .enums import SourceState
from .error_reading import read_error
from .errors import InvalidParameter, LocationdError, TooManyClients, TooManyRequests
from .types import Location, Status
from .version import __version__
from .wire import Fields, Unreadable, encode_call, parse_reply

LIBRARY = f"locationd-python {__version__}"
"""What the daemon shows administrators."""

SHORTEST_DELAY = 0.25
LONGEST_DELAY = 10.0
SPREAD = 6
"""Times the shortest delay: the longest after a connection that had an answer. All clients lose a daemon that restarts at once."""

U = TypeVar("U")


class Phase(Enum):
    """What the owner has to do next."""

    OPENING = auto()
    """Open a connection after `delay`."""
    CALLED = auto()
    """Read the first reply, which has a deadline."""
    STREAMING = auto()
    """Read the next reply, which may never come."""
    ENDED = auto()
    """Nothing: raise `failure`, if there is one, and end."""


class Session(Generic[U]):
    """One watch or monitor, over all of its connections.

    A fix is delivered if its number is greater than the last one's, or if it is smaller and the fix is newer: then the
    daemon has lost its numbers and begun anew.
    """

    def __init__(self, method: str, parameters: dict[str, object], read: Callable[[Fields, float], list[U]],
                 draw: Callable[[], float] | None = None) -> None:
        """`read` takes the updates from a reply that came at a time of `CLOCK_BOOTTIME`; `draw` gives a number of 0 to 1: drawn at random."""
        self.phase = Phase.OPENING
        self.delay = 0.0
        self.dropped = 0
        self.failure: LocationdError | None = None
        self._method = method
        self._parameters = dict(parameters)
        self._read = read
        self._states_library = True
        self._draw = draw or random.random
        self._next_delay = SHORTEST_DELAY
        self._has_answered = False
        self._status: Status | None = None
        self._outage_reported = False
        self._fix: tuple[int, float] | None = None
        maximum = parameters.get("maximumUpdates")
        self._updates_left = maximum if isinstance(maximum, int) else None
        self._location_skipped = False

    def call(self) -> bytes:
        """The call of the next connection."""
        parameters = dict(self._parameters)
        if self._updates_left is not None:
            parameters["maximumUpdates"] = self._updates_left
        if self._states_library:
            parameters["library"] = LIBRARY
        return encode_call(self._method, parameters, more=True)

    def called(self) -> None:
        """The call was sent."""
        self.phase = Phase.CALLED
        self._location_skipped = False

    def receive(self, message: bytes, now: float) -> list[U | Status]:
        """Applies a message that was received when `CLOCK_BOOTTIME` was `now`; the result is to be delivered."""
        try:
            reply = parse_reply(message)
            if reply.error is not None:
                return self._refuse(read_error(reply.error, reply))
            updates = self._read(reply.parameters, now)
            dropped = reply.parameters.integer_or_none("dropped", 0) or 0
        except Unreadable as error:
            return self.lose(f"The daemon's reply cannot be read ({error}); are the versions of daemon and library compatible?")
        self.phase = Phase.STREAMING
        self._has_answered = True
        self._outage_reported = False
        self.dropped += dropped
        # From now on the persisted monitor is called by its name: what others change meanwhile is not undone.
        if "name" in self._parameters:
            for definition in ("regions", "significantChange", "visits"):
                self._parameters.pop(definition, None)
        delivered: list[U | Status] = [update for update in updates if self._delivers(update)]
        if self._updates_left == 0 and any(isinstance(update, Location) for update in delivered):
            self.phase = Phase.ENDED
        elif not reply.continues:
            delivered += self._finish(updates)
        return delivered

    def _delivers(self, update: U) -> bool:
        if isinstance(update, Status):
            self._status = update
        if not isinstance(update, Location):
            return True
        fix = update.sequence, update.monotonic_time
        if self._fix is not None:
            number, received = self._fix
            if not (fix[0] > number or (fix[0] < number and fix[1] > received)):
                self._location_skipped = True
                return False
        self._fix = fix
        if self._updates_left is not None:
            self._updates_left -= 1
        return True

    def _finish(self, updates: list[U]) -> list[U | Status]:
        """After the last reply of a call."""
        reasons = [update.reason for update in updates if isinstance(update, Status)]
        if "duration" in reasons:
            self.phase = Phase.ENDED
        elif "stopping" in reasons or (self._updates_left is not None and self._location_skipped):
            # The daemon has said that it goes, or it has counted a fix that was delivered before: neither is an outage.
            self._reopen()
        else:
            return self.lose("The daemon has ended the call and gave no reason.")
        return []

    def _refuse(self, error: LocationdError) -> list[U | Status]:
        if isinstance(error, InvalidParameter) and error.parameter == "library" and self._states_library:
            self._states_library = False
            self.phase, self.delay = Phase.OPENING, 0
            return []
        if isinstance(error, (TooManyClients, TooManyRequests)):
            return self.lose(str(error))
        self.phase, self.failure = Phase.ENDED, error
        return []

    def lose(self, reason: str) -> list[U | Status]:
        """The connection is lost, or was not made; `reason` is a sentence. The result is to be delivered."""
        self._reopen()
        if self._outage_reported:
            return []
        self._outage_reported = True
        last = self._status
        return [
            Status(
                authorization=last.authorization if last else None,
                accuracy=last.accuracy if last else None,
                enabled=last.enabled if last else True,
                source=SourceState.UNAVAILABLE,
                reason=f"{reason} This program reconnects by itself.",
                authorization_pending=last.authorization_pending if last else False,
                full_accuracy_pending=last.full_accuracy_pending if last else None,
                connected=False,
            )
        ]

    def _reopen(self) -> None:
        self.phase = Phase.OPENING
        if self._has_answered:
            self._has_answered = False
            self._next_delay = SHORTEST_DELAY
            least, most = SHORTEST_DELAY, SHORTEST_DELAY * SPREAD
        else:
            least, most = self._next_delay / 2, self._next_delay
            self._next_delay = min(self._next_delay * 2, LONGEST_DELAY)
        self.delay = least + (most - least) * self._draw()

    def end(self) -> None:
        """The program has closed the watch."""
        self.phase, self.failure = Phase.ENDED, None
