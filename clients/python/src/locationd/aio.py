"""The client for asyncio."""

import asyncio
import weakref
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Generic, Self, TypeVar

from . import calls
from .async_line import AsyncLine
from .base import BaseClient, MonitorUpdate, WatchUpdate
from .calls import Call
from .client import Connector
from .clock import boottime
from .enums import AuthorizationLevel
from .errors import Unreachable
from .line import Closed
from .session import Phase, Session
from .transport import SILENCE, NotBefore, SocketPath, explain, resolve_path
from .types import Location, MonitorInformation, Receiver, Region, Status, Usage
from .wire import Unreadable

T = TypeVar("T")
U = TypeVar("U")


class _AsyncUpdates(Generic[U]):
    """The asynchronous iterator over a session's updates, which the task that asks for the next one drives."""

    def __init__(self, path: str, session: Session[U]) -> None:
        self._path = path
        self._session = session
        self._line = AsyncLine()
        self._ready: deque[U | Status] = deque()
        self._not_before = NotBefore()
        # Of the attempt that is being made, over however many calls of anext it takes.
        self._deadline: float | None = None

    @property
    def dropped(self) -> int:
        """Locations that the daemon has dropped because they were read too slowly; the total over reconnections."""
        return self._session.dropped

    def close(self) -> None:
        """Ends the iteration at once, also one that another task of the loop waits for. May be called repeatedly."""
        self._line.close()

    async def aclose(self) -> None:
        """The same, for `contextlib.aclosing`."""
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Not close: the loop may be gone, or run in another thread.
        self._line.hang_up()

    def __aiter__(self) -> AsyncIterator[U | Status]:
        return self

    async def __anext__(self) -> U | Status:
        """The next update. Where it is cancelled, for instance by a timeout, nothing is lost and it may be called again."""
        with self._line:
            try:
                return await self._advance()
            except Closed:
                self._session.end()
                raise StopAsyncIteration from None

    async def _advance(self) -> U | Status:
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
                    raise StopAsyncIteration
                case Phase.OPENING:
                    await self._line.pause(self._not_before.remaining())
                    await self._open()
                case Phase.CALLED | Phase.STREAMING:
                    await self._read()

    async def _open(self) -> None:
        now = asyncio.get_running_loop().time
        if self._deadline is None:
            self._deadline = now() + SILENCE
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._line.open(self._path)
            if now() >= self._deadline:
                # The task was cancelled while it connected, and the program has come back later.
                self._deadline = now() + SILENCE
            async with asyncio.timeout_at(self._deadline):
                await self._line.send(self._session.call())
            self._session.called()
        except OSError as error:
            self._lose(error)
        except BaseException:
            # Half a call may have been sent before the task was cancelled.
            self._line.hang_up()
            raise

    async def _read(self) -> None:
        try:
            message = await self._line.receive(self._deadline if self._session.phase is Phase.CALLED else None)
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


class AsyncWatch(_AsyncUpdates[WatchUpdate]):
    """An asynchronous iterator of `Location | Status | Heading | Satellites`; see `Client.watch`."""


class AsyncMonitor(_AsyncUpdates[MonitorUpdate]):
    """An asynchronous iterator of `RegionReport | Location | Visit | Status`; see `Client.regions`."""


class AsyncConnector:
    """As `Connector`, for the tasks of one event loop."""

    def __init__(self, socket_path: SocketPath | None = None) -> None:
        self._path = resolve_path(socket_path)
        self._lines: weakref.WeakSet[AsyncLine] | None = weakref.WeakSet()

    __init__.__doc__ = Connector.__init__.__doc__

    def close(self) -> None:
        """Ends its watches and monitors, and calls that other tasks wait for. May be called repeatedly."""
        lines, self._lines = list(self._lines or ()), None
        for line in lines:
            line.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _register(self, line: AsyncLine) -> None:
        if self._lines is None:
            raise RuntimeError("the client is closed")
        self._lines.add(line)

    async def _perform(self, call: Call[T]) -> T:
        async with aclosing(self._answers(call)) as answers:
            async for answer in answers:
                pass
        return answer

    async def _answers(self, call: Call[T]) -> AsyncGenerator[T]:
        """Each answer of a call until the last. The connection ends with the iteration."""
        line = AsyncLine()
        self._register(line)
        now = asyncio.get_running_loop().time
        try:
            with line:
                start = now()
                async with asyncio.timeout_at(start + SILENCE):
                    await line.open(self._path)
                    await line.send(call.message)
                deadline: float | None = start + SILENCE + call.extra_patience
                continues = True
                while continues:
                    answer, continues = call.answer(self._path, await line.receive(deadline))
                    yield answer
                    deadline = None if call.waits else now() + SILENCE
        except (Closed, OSError, EOFError, Unreadable) as error:
            if line.is_closed:
                raise Unreachable("The client was closed during the call.") from None
            raise Unreachable(call.explain(self._path, error)) from error
        finally:
            line.close()


class AsyncClient(AsyncConnector, BaseClient[AsyncWatch, AsyncMonitor]):
    """A client of the daemon for asyncio: the methods of `Client`, for the tasks of one event loop.

    `watch`, `regions` and `close` are plain calls; the others are awaited, and may be cancelled at any time. A task that
    is cancelled while it waits for an update leaves the watch open, for the next one: used as a context manager, a watch
    or the client itself closes the connection at the end.
    """

    def _open_watch(self, session: Session[WatchUpdate]) -> AsyncWatch:
        watch = AsyncWatch(self._path, session)
        self._register(watch._line)
        return watch

    def _open_monitor(self, session: Session[MonitorUpdate]) -> AsyncMonitor:
        monitor = AsyncMonitor(self._path, session)
        self._register(monitor._line)
        return monitor

    async def status(self) -> Status:
        """As `Client.status`."""
        return await self._perform(calls.get_status())

    async def get(
        self,
        *,
        maximum_age: float | None = None,
        timeout: float | None = None,
        required_accuracy: float | None = None,
        passive: bool | None = None,
        estimate: bool | None = None,
    ) -> Location:
        """As `Client.get`: `maximum_age` and `timeout` in seconds, `required_accuracy` in metres."""
        return await self._perform(
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

    async def request_authorization(
        self,
        *,
        level: AuthorizationLevel | str = AuthorizationLevel.WHEN_IN_USE,
        purpose: str | None = None,
        full_accuracy: bool | None = None,
        program: str | None = None,
        wait: bool = True,
    ) -> Status:
        """As `Client.request_authorization`. Where it is cancelled the request stays."""
        options = dict(level=level, purpose=purpose, full_accuracy=full_accuracy, program=program)
        return await self._perform(calls.request_authorization(options, wait))

    async def change_regions(
        self, name: str, *, add: Sequence[Region] | None = None, remove: Sequence[str] | None = None
    ) -> None:
        """As `Client.change_regions`."""
        await self._perform(calls.change_regions(dict(name=name, add=add, remove=remove)))

    async def monitors(self) -> list[MonitorInformation]:
        """As `Client.monitors`."""
        monitors = await self._perform(calls.list_monitors())
        return list(monitors)

    async def remove_monitor(self, name: str) -> None:
        """As `Client.remove_monitor`."""
        await self._perform(calls.remove_monitor(name))

    async def receivers(self) -> list[Receiver]:
        """As `Client.receivers`."""
        receivers = await self._perform(calls.list_receivers())
        return list(receivers)

    async def usage(self, *, all: bool | None = None) -> list[Usage]:
        """As `Client.usage`."""
        usage = await self._perform(calls.watch_usage(dict(all=all)))
        return list(usage)
