"""What ends the wait of a task: another task, a cancellation, a timeout."""

import asyncio
from unittest import mock

from locationd import AsyncClient, AsyncWatch, Location, Status

from .interruption import InterruptionTests
from .samples import location
from .scripted import PATIENCE, Peer


async def collect(watch: AsyncWatch) -> int:
    number = 0
    async for _ in watch:
        number += 1
    return number


class TaskTests(InterruptionTests):
    async def wait_called(self) -> None:
        await asyncio.to_thread(self.called.wait, PATIENCE)

    def test_close_by_another_task_ends_the_iteration(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.daemon.path) as client:
                watch = client.watch()
                task = asyncio.create_task(collect(watch))
                await self.wait_called()
                watch.close()
                self.assertEqual(await task, 0)

        self.daemon.start(self.silent)
        asyncio.run(main())
        self.assert_nothing_is_open()

    def test_close_ends_the_wait_for_the_next_attempt(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.daemon.path) as client:
                with mock.patch("locationd.session.SHORTEST_DELAY", 1000.0), mock.patch("locationd.session.LONGEST_DELAY", 1000.0):
                    watch = client.watch()
                    await anext(watch)
                task = asyncio.create_task(collect(watch))
                await asyncio.sleep(0)
                client.close()
                self.assertEqual(await task, 0)

        asyncio.run(main())
        self.assert_nothing_is_open()

    def test_cancelled_task_leaves_nothing_open(self) -> None:
        async def iterate(client: AsyncClient) -> None:
            async with client.watch() as watch:
                async for _ in watch:
                    pass

        async def main() -> None:
            client = AsyncClient(self.daemon.path)
            for function in (iterate, AsyncClient.status, AsyncClient.request_authorization):
                self.called.clear()
                task: asyncio.Task[object] = asyncio.ensure_future(function(client))
                await self.wait_called()
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        self.daemon.start(self.silent, self.silent, self.silent)
        asyncio.run(main())
        self.assert_nothing_is_open()

    def test_watch_goes_on_after_a_timeout(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.daemon.path).watch() as watch:
                self.assertIsInstance(await anext(watch), Status)
                for _ in range(3):
                    with self.assertRaises(TimeoutError):
                        await asyncio.wait_for(anext(watch), 0.01)
                self.go_on.set()
                self.assertIsInstance(await anext(watch), Location)

        self.daemon.start(self.in_two_parts)
        asyncio.run(main())
        self.assert_nothing_is_open()

    def test_busy_daemon_does_not_stop_the_loop(self) -> None:
        def flood(peer: Peer) -> None:
            peer.call()
            sequence = 0
            try:
                while True:
                    sequence += 1
                    peer.reply(location=location(sequence))
            except (BrokenPipeError, ConnectionResetError):
                pass

        async def main() -> None:
            async with AsyncClient(self.daemon.path).watch() as watch:
                task = asyncio.create_task(collect(watch))
                for _ in range(20):
                    await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        self.daemon.start(flood)
        asyncio.run(main())
        self.assert_nothing_is_open()

    def test_second_task_is_told(self) -> None:
        async def main() -> None:
            async with AsyncClient(self.daemon.path).watch() as watch:
                task = asyncio.create_task(collect(watch))
                await self.wait_called()
                with self.assertRaises(RuntimeError):
                    await anext(watch)
                watch.close()
                await task

        self.daemon.start(self.silent)
        asyncio.run(main())
        self.assert_nothing_is_open()
