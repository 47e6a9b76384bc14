"""Programs that ask for the next update with a short timeout, or seldom."""

import asyncio
import contextlib
import time
import unittest
from contextlib import ExitStack
from typing import Any
from unittest import mock

from locationd import AsyncClient, Location, Status
from locationd.async_line import AsyncLine
from locationd.line import Line

from .adapters import Asynchronous, Blocking, Clock
from .pairs import Interrupt, Pairs
from .samples import location, status
from .scripted import PATIENCE, Peer, ScriptedDaemon, message


class PollingContract:
    """The tests; its two subclasses say for which client."""

    adapter_type: type[Any]

    def setUp(self: Any) -> None:
        self.daemon = ScriptedDaemon()
        self.addCleanup(self.daemon.remove)
        self.adapter = self.adapter_type(self.daemon.path)
        self.addCleanup(self.adapter.close)
        self.stack = self.enterContext(ExitStack())
        self.clock = Clock(self.stack)
        self.pauses: list[float] = []

        def pause(seconds: float) -> None:
            """A program that waits no time at all for the next update."""
            if seconds > 0:
                self.pauses.append(seconds)
                raise Interrupt

        self.adapter_type.replace_pause(self.stack, pause)
        # The longest of each pause.
        self.stack.enter_context(mock.patch("locationd.session.random.random", return_value=1.0))

    def serve_a_status(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status())
            peer.until_closed()

        self.daemon.start(serve)

    def test_polling_comes_to_the_next_attempt(self: Any) -> None:
        watch = self.adapter.call("watch")
        self.assertFalse(self.adapter.next(watch).connected)
        self.serve_a_status()
        for _ in range(2):
            with self.assertRaises(Interrupt):
                self.adapter.next(watch)
            self.clock.advance(0.125)
        self.assertTrue(self.adapter.next(watch).connected)
        self.assertEqual(self.pauses, [0.25, 0.125])
        watch.close()
        self.daemon.finish()

    def test_what_the_program_did_meanwhile_counts(self: Any) -> None:
        watch = self.adapter.call("watch")
        self.assertFalse(self.adapter.next(watch).connected)
        self.serve_a_status()
        self.clock.advance(1000)
        self.assertTrue(self.adapter.next(watch).connected)
        self.assertEqual(self.pauses, [])
        watch.close()
        self.daemon.finish()

    def test_polling_does_not_put_off_the_end_of_an_attempt(self: Any) -> None:
        for module in ("line", "async_line"):
            # As with a full backlog.
            self.stack.enter_context(mock.patch(f"locationd.{module}.connect_once", lambda _: None))
        watch = self.adapter.call("watch")
        deadlines = set()
        for _ in range(3):
            with self.assertRaises(Interrupt):
                self.adapter.next(watch)
            deadlines.add(watch._deadline)
        self.assertEqual(len(deadlines - {None}), 1)
        watch.close()


class BlockingPollingTests(PollingContract, unittest.TestCase):
    adapter_type = Blocking


class AsynchronousPollingTests(PollingContract, unittest.TestCase):
    adapter_type = Asynchronous


class DeadlineTests(unittest.TestCase):
    """What has come is no silence, however late the program looks."""

    def test_reply_that_has_waited_is_read_by_a_thread(self) -> None:
        line = Line()
        with Pairs(message(status=status())), line:
            past = time.monotonic() - 1
            line.open("/nowhere", past)
            line.send(b"call\0", past)
            self.assertIn(b"tracking", line.receive(past))
            with self.assertRaises(TimeoutError):
                line.receive(past)
            line.hang_up()

    def test_reply_that_has_waited_is_read_by_a_task(self) -> None:
        async def main() -> None:
            line = AsyncLine()
            with Pairs(message(status=status())), line:
                past = asyncio.get_running_loop().time() - 1
                await line.open("/nowhere")
                self.assertIn(b"tracking", await line.receive(past))
                with self.assertRaises(TimeoutError):
                    await line.receive(past)
                line.hang_up()

        asyncio.run(main())

    def test_watch_whose_task_comes_back_late_has_no_outage(self) -> None:
        async def main() -> None:
            loop = asyncio.get_running_loop()
            with Pairs() as pairs, mock.patch("locationd.aio.SILENCE", 1000.0):
                async with AsyncClient("/nowhere").watch() as watch:
                    task = asyncio.ensure_future(anext(watch))
                    for _ in range(10):
                        # It waits for the reply after two of these; nothing else runs in this loop.
                        await asyncio.sleep(0)
                    task.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                    pairs.peers[0].sendall(message(status=status()))
                    now = loop.time() + 2000
                    with mock.patch.object(loop, "time", lambda: now):
                        update = await anext(watch)
                    self.assertTrue(isinstance(update, Status) and update.connected, update)

        asyncio.run(main())


class CancellationTests(unittest.TestCase):
    def test_update_that_comes_with_the_cancellation_is_not_lost(self) -> None:
        async def main() -> None:
            loop = asyncio.get_running_loop()
            with Pairs(message(status=status())) as pairs:
                async with AsyncClient("/nowhere").watch() as watch:
                    self.assertIsInstance(await anext(watch), Status)
                    task = asyncio.ensure_future(anext(watch))
                    for _ in range(10):
                        # It waits for the socket after two of these; nothing else runs in this loop.
                        await asyncio.sleep(0)
                    pairs.peers[0].sendall(message(location=location(1)))
                    # In one pass the loop looks at its sockets, and at its timers after that.
                    loop.call_at(loop.time(), task.cancel)
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                    async with asyncio.timeout(PATIENCE):
                        self.assertIsInstance(await anext(watch), Location)

        asyncio.run(main())


class ClosingTests(unittest.TestCase):
    def test_aclosing_closes(self) -> None:
        async def main() -> None:
            with Pairs(message(status=status())):
                client = AsyncClient("/nowhere")
                async with contextlib.aclosing(client.watch()) as watch, contextlib.aclosing(client.regions()) as monitor:
                    self.assertIsInstance(await anext(watch), Status)
                self.assertIsNone(watch._line._socket)
                self.assertTrue(monitor._line.is_closed)

        asyncio.run(main())
