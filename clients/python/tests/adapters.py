"""Both clients behind one set of blocking calls, so that one test is for both."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeVar
from unittest import mock

from locationd import AsyncClient, Client, aio, client
from locationd.async_line import AsyncLine
from locationd.line import Closed, Line
from locationd.transport import NotBefore

T = TypeVar("T")

Pauses = Callable[[float], None]


class Clock:
    """The time that attempts to reconnect are counted by, which stands still but for `advance`."""

    def __init__(self, stack: ExitStack) -> None:
        self.time = 100.0
        stack.enter_context(mock.patch.object(NotBefore, "clock", lambda _: self.time))

    def advance(self, seconds: float) -> None:
        self.time += seconds


class Blocking:
    """`Client`, as it is."""

    module = client

    def __init__(self, path: str) -> None:
        self.client: Any = Client(path)

    def call(self, method: str, *arguments: object, **options: object) -> Any:
        return getattr(self.client, method)(*arguments, **options)

    def next(self, updates: Any) -> Any:
        return next(updates)

    def close(self) -> None:
        self.client.close()

    @staticmethod
    def replace_pause(stack: ExitStack, pause: Pauses) -> None:
        """Calls `pause` instead of waiting before an attempt to reconnect."""

        def replacement(line: Line, seconds: float) -> None:
            pause(seconds)
            if line.is_closed:
                raise Closed

        stack.enter_context(mock.patch.object(Line, "pause", replacement))

    @staticmethod
    def record_waits(stack: ExitStack) -> list[float]:
        """Seconds for which each message is waited for at most."""
        waits, receive = [], Line.receive

        def replacement(line: Line, deadline: float | None) -> bytes:
            waits.append(math.inf if deadline is None else deadline - time.monotonic())
            return receive(line, deadline)

        stack.enter_context(mock.patch.object(Line, "receive", replacement))
        return waits


class Asynchronous:
    """`AsyncClient`, in a loop that runs for each call."""

    module = aio

    def __init__(self, path: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.client: Any = AsyncClient(path)

    def run(self, awaitable: Awaitable[T]) -> T:
        async def wait() -> T:
            return await awaitable

        return self.loop.run_until_complete(wait())

    def call(self, method: str, *arguments: object, **options: object) -> Any:
        result = getattr(self.client, method)(*arguments, **options)
        return self.run(result) if asyncio.iscoroutine(result) else result

    def next(self, updates: AsyncIterator[Any]) -> Any:
        async def advance() -> Any:
            return await anext(updates)

        try:
            return self.loop.run_until_complete(advance())
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        self.client.close()
        self.loop.close()

    @staticmethod
    def replace_pause(stack: ExitStack, pause: Pauses) -> None:
        async def replacement(line: AsyncLine, seconds: float) -> None:
            pause(seconds)
            await asyncio.sleep(0)
            if line.is_closed:
                raise Closed

        stack.enter_context(mock.patch.object(AsyncLine, "pause", replacement))

    @staticmethod
    def record_waits(stack: ExitStack) -> list[float]:
        waits, receive = [], AsyncLine.receive

        async def replacement(line: AsyncLine, deadline: float | None) -> bytes:
            waits.append(math.inf if deadline is None else deadline - asyncio.get_running_loop().time())
            return await receive(line, deadline)

        stack.enter_context(mock.patch.object(AsyncLine, "receive", replacement))
        return waits


def rest(adapter: Any, updates: Any) -> Iterator[Any]:
    """Every further update until the end."""
    while True:
        try:
            yield adapter.next(updates)
        except StopIteration:
            return
