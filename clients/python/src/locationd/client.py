"""The client for programs with threads, or without."""

import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Generic, Self, TypeVar

from . import calls
from .base import BaseClient, MonitorUpdate, WatchUpdate
from .calls import Call
from .clock import boottime
from .enums import AuthorizationLevel
from .errors import Unreachable
from .line import Closed, Line
from .session import Phase, Session
from .transport import SILENCE, NotBefore, SocketPath, explain, resolve_path
from .types import Location, MonitorInformation, Receiver, Region, Status, Usage
from .wire import Unreadable

T = TypeVar("T")
U = TypeVar("U")


class _Updates(Generic[U]):
    """The iterator over a session's updates, which the thread that asks for the next one drives."""

    def __init__(self, path: str, session: Session[U]) -> None:
        self._path = path
        self._session = session
        self._line = Line()
        self._ready: deque[U | Status] = deque()
        self._not_before = NotBefore()
        # Of the attempt that is being made, over however many calls of next it takes.
        self._deadline: float | None = None

    @property
    def dropped(self) -> int:
        """Locations that the daemon has dropped because they were read too slowly; the total over reconnections."""
        return self._session.dropped

    def close(self) -> None:
        """Ends the iteration at once, from any thread or signal handler. May be called repeatedly."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # No thread iterates over what nobody has.
        self._line.hang_up()

    def __iter__(self) -> Iterator[U | Status]:
        return self

    def __next__(self) -> U | Status:
        with self._line:
            try:
                return self._advance()
            except Closed:
                self._session.end()
                raise StopIteration from None

    def _advance(self) -> U | Status:
        session = self._session
        while True:
            if self._line.is_closed:
                raise Closed
            if self._ready:
                return self._ready.popleft()
            match session.phase:
                case Phase.ENDED:
                    self._line.hang_up()
                    failure, session.failure = session.failure, None
                    if failure is not None:
                        raise failure
                    raise StopIteration
                case Phase.OPENING:
                    self._line.pause(self._not_before.remaining())
                    self._open()
                case Phase.CALLED | Phase.STREAMING:
                    self._read()

    def _open(self) -> None:
        if self._deadline is None:
            self._deadline = time.monotonic() + SILENCE
        try:
            self._line.open(self._path, self._deadline)
            if time.monotonic() >= self._deadline:
                # The program was interrupted while it connected, and has come back later.
                self._deadline = time.monotonic() + SILENCE
            self._line.send(self._session.call(), self._deadline)
            self._session.called()
        except OSError as error:
            self._lose(error)
        except BaseException:
            # Half a call may have been sent, for instance before Ctrl-C.
            self._line.hang_up()
            raise

    def _read(self) -> None:
        try:
            message = self._line.receive(self._deadline if self._session.phase is Phase.CALLED else None)
        except (OSError, EOFError, Unreadable) as error:
            self._lose(error)
            return
        self._ready.extend(self._session.receive(message, boottime()))
        self._deadline = None
        if self._session.phase in (Phase.OPENING, Phase.ENDED):
            self._line.hang_up()
            self._not_before.put_off(self._session.delay)

    def _lose(self, error: Exception) -> None:
        self._line.hang_up()
        if self._line.is_closed:
            raise Closed
        self._deadline = None
        self._ready.extend(self._session.lose(explain(self._path, error)))
        self._not_before.put_off(self._session.delay)


class Watch(_Updates[WatchUpdate]):
    """An iterator of `Location | Status | Heading | Satellites`; see `Client.watch`."""


class Monitor(_Updates[MonitorUpdate]):
    """An iterator of `RegionReport | Location | Visit | Status`; see `Client.regions`."""


class Connector:
    """Makes calls, each on a connection of its own; may be closed from any thread or signal handler."""

    def __init__(self, socket_path: SocketPath | None = None) -> None:
        """Makes no connection.

        `socket_path`: the daemon's socket; else that of the environment variable `LOCATIOND_SOCKET`, else
        `/run/locationd/locationd.sock`. Raises `ValueError` for a path that no socket can have.
        """
        self._path = resolve_path(socket_path)
        # A signal handler may close it while its own thread opens a connection.
        self._lock = threading.RLock()
        self._lines: weakref.WeakSet[Line] | None = weakref.WeakSet()

    def close(self) -> None:
        """Ends its watches and monitors, and calls that wait. May be called repeatedly, from any thread or signal handler."""
        with self._lock:
            lines, self._lines = list(self._lines or ()), None
        for line in lines:
            line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _register(self, line: Line) -> None:
        with self._lock:
            lines = self._lines
            if lines is not None:
                lines.add(line)
            # Again, for a signal handler may have closed it meanwhile.
            if self._lines is None:
                raise RuntimeError("the client is closed")

    def _perform(self, call: Call[T]) -> T:
        for answer in self._answers(call):
            pass
        return answer

    def _answers(self, call: Call[T]) -> Iterator[T]:
        """Each answer of a call until the last. The connection ends with the iteration."""
        line = Line()
        self._register(line)
        try:
            with line:
                start = time.monotonic()
                line.open(self._path, start + SILENCE)
                line.send(call.message, start + SILENCE)
                deadline: float | None = start + SILENCE + call.extra_patience
                continues = True
                while continues:
                    answer, continues = call.answer(self._path, line.receive(deadline))
                    yield answer
                    deadline = None if call.waits else time.monotonic() + SILENCE
        except (Closed, OSError, EOFError, Unreadable) as error:
            if line.is_closed:
                raise Unreachable("The client was closed during the call.") from None
            raise Unreachable(call.explain(self._path, error)) from error
        finally:
            line.close()


class Client(Connector, BaseClient[Watch, Monitor]):
    """A client of the daemon.

    Several threads may use one, because each call, watch and monitor has a connection of its own. A watch is iterated
    by one thread at a time, and closed by any, or by a signal handler. After a fork a watch belongs to the process that
    has opened it: a child closes its own descriptor alone. As a context manager it closes its watches and monitors.

    What goes wrong with the daemon is a `LocationdError`: `Unreachable` if it cannot be reached or does not answer
    within 10 seconds (for `get` and a decision, beyond what they wait for). Calls are not repeated. What goes wrong in
    the program is not: an argument that no daemon can be sent is a `ValueError` or `TypeError`, a call after `close` a
    `RuntimeError`.
    """

    def _open_watch(self, session: Session[WatchUpdate]) -> Watch:
        watch = Watch(self._path, session)
        self._register(watch._line)
        return watch

    def _open_monitor(self, session: Session[MonitorUpdate]) -> Monitor:
        monitor = Monitor(self._path, session)
        self._register(monitor._line)
        return monitor

    def status(self) -> Status:
        """The present state. Every program may ask; it starts no receiver."""
        return self._perform(calls.get_status())

    def get(
        self,
        *,
        maximum_age: float | None = None,
        timeout: float | None = None,
        required_accuracy: float | None = None,
        passive: bool | None = None,
        estimate: bool | None = None,
    ) -> Location:
        """One location. Starts the receiver if necessary.

        `maximum_age`: seconds; the maximum age of the location. Default: 0, a new fix.
        `timeout`: seconds to wait at most, 0 to 86400. Default: 30.
        `required_accuracy`: metres, more than 0; the horizontal accuracy to wait for.
        `passive`: whether to wait without starting the receiver. Default: False.
        `estimate`: whether the location is an estimate of the fix that answers; never a prediction. Default: False.

        Raises `NotAuthorized`, `Disabled`, `LocationUnavailable`, `TimedOut` (both may have a `best` location),
        `Unreachable`, and `ValueError` for a number that is NaN or infinite.
        """
        return self._perform(
            calls.get_location(
                dict(
                    maximum_age=maximum_age,
                    timeout=timeout,
                    required_accuracy=required_accuracy,
                    passive=passive,
                    estimate=estimate,
                )
            )
        )

    def request_authorization(
        self,
        *,
        level: AuthorizationLevel | str = AuthorizationLevel.WHEN_IN_USE,
        purpose: str | None = None,
        full_accuracy: bool | None = None,
        program: str | None = None,
        wait: bool = True,
    ) -> Status:
        """Requests a decision about whether the program may know the position; the result is what then holds.

        If there is no decision yet, the request is shown to administrators, and to the user who may decide.

        `level`: when in use, or always.
        `purpose`: at most 256 bytes; shown to administrators.
        `full_accuracy`: whether full accuracy is requested too. Default: False.
        `program`: what the program calls itself, 1 to 128 bytes; shown to the user who decides.
        `wait`: whether to wait for the decision, which may take days; else the result is the present state.

        Raises `TooManyAuthorizations`, and `Unreachable` if the daemon ends before there is a decision: the request
        stays, and can be made again.
        """
        options = dict(level=level, purpose=purpose, full_accuracy=full_accuracy, program=program)
        return self._perform(calls.request_authorization(options, wait))

    def change_regions(
        self, name: str, *, add: Sequence[Region] | None = None, remove: Sequence[str] | None = None
    ) -> None:
        """Changes a named monitor, whether it is active or not. Returns when that is persisted, or after 2 seconds.

        `name`: the monitor's name.
        `add`: regions to add, in place of those with the same identifier.
        `remove`: identifiers of regions to remove; unknown ones are ignored.

        Raises `NoSuchMonitor`, `TooManyRegions`.
        """
        self._perform(calls.change_regions(dict(name=name, add=add, remove=remove)))

    def monitors(self) -> list[MonitorInformation]:
        """The user's named monitors, sorted by name, and the states of their regions."""
        monitors = self._perform(calls.list_monitors())
        return list(monitors)

    def remove_monitor(self, name: str) -> None:
        """Removes a named monitor; a connection that uses it ends with `NoSuchMonitor`.

        `name`: the monitor's name.

        Raises `NoSuchMonitor`.
        """
        self._perform(calls.remove_monitor(name))

    def receivers(self) -> list[Receiver]:
        """The configured sources by rank, each with its receivers. Empty for a program that may not know the position.

        Every program may ask; it starts no receiver.
        """
        receivers = self._perform(calls.list_receivers())
        return list(receivers)

    def usage(self, *, all: bool | None = None) -> list[Usage]:
        """The user's own programs that receive locations, or were sent some in the last 24 hours.

        Those that receive them now come first, then the others by the time of the last location.

        `all`: whether to list the programs of all users, which administrators alone see, on the control socket. Default: False.
        """
        usage = self._perform(calls.watch_usage(dict(all=all)))
        return list(usage)
