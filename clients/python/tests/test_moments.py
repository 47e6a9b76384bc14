"""Signal handlers, at whatever moment they come, and what a fork shares."""

import asyncio
import os
import socket
import threading
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from locationd import AsyncWatch, Client, Location, Status, Watch, client, line

from .adapters import Asynchronous, Blocking
from .pairs import Interrupt, Pairs, at_each_moment, in_a_child
from .samples import location, status
from .scripted import PATIENCE, message

FILES = {client.__file__, line.__file__, threading.__file__}
REPLIES = message(status=status()) + b"".join(message(location=location(sequence)) for sequence in range(1, 4))


class HandlerTests(unittest.TestCase):
    def setUp(self) -> None:
        self.pairs = self.enterContext(Pairs(REPLIES))

    def in_a_thread(self, function: Any) -> None:
        """So that what hangs fails the test. A handler is nothing else than code that comes between two lines."""
        results: list[BaseException | None] = []

        def run() -> None:
            try:
                function()
                results.append(None)
            except BaseException as error:
                results.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive(), "it hangs")
        if results[0] is not None:
            raise results[0]

    def assert_is_closed(self, watch: Watch) -> None:
        self.assertIsNone(watch._line._socket)
        self.assertEqual(list(watch), [])

    def test_handler_may_close_at_any_moment(self) -> None:
        def check(streams: bool) -> None:
            last: list[Watch] = []

            def prepare() -> Any:
                for watch in last:
                    self.assert_is_closed(watch)
                self.pairs.hang_up()
                watch = Client("/nowhere").watch()
                if streams:
                    next(watch)
                last[:] = [watch]
                return lambda: next(watch), watch.close

            self.assertGreater(at_each_moment(prepare, FILES), 20)
            last[0].close()

        for streams in (False, True):
            with self.subTest(streams=streams):
                self.in_a_thread(lambda: check(streams))

    def test_handler_may_close_the_client_at_any_moment(self) -> None:
        def check() -> None:
            last: list[Watch] = []

            def prepare() -> Any:
                # The watch that was opened meanwhile is closed, or there is none.
                for watch in last:
                    self.assert_is_closed(watch)
                last.clear()
                locations = Client("/nowhere")
                return lambda: last.append(locations.watch()), locations.close

            self.assertGreater(at_each_moment(prepare, FILES), 10)

        self.in_a_thread(check)

    def test_watch_goes_on_after_an_exception_at_any_moment(self) -> None:
        def interrupt() -> None:
            raise Interrupt

        def check(streams: bool) -> None:
            last: list[Watch] = []

            def prepare() -> Any:
                for watch in last:
                    update = next(watch)
                    self.assertTrue(isinstance(update, Location) or (isinstance(update, Status) and update.connected), update)
                    watch.close()
                    self.assert_is_closed(watch)
                self.pairs.hang_up()
                watch = Client("/nowhere").watch()
                if streams:
                    next(watch)
                last[:] = [watch]
                return lambda: next(watch), interrupt

            self.assertGreater(at_each_moment(prepare, FILES), 20)
            last[0].close()

        for streams in (False, True):
            with self.subTest(streams=streams):
                self.in_a_thread(lambda: check(streams))

    def test_close_closes_after_an_exception_at_any_moment(self) -> None:
        def interrupt() -> None:
            raise Interrupt

        last: list[Watch] = []

        def prepare() -> Any:
            for watch in last:
                watch.close()
                self.assert_is_closed(watch)
            self.pairs.hang_up()
            watch = Client("/nowhere").watch()
            last[:] = [watch]
            return lambda: next(watch), interrupt

        at_each_moment(prepare, FILES)
        last[0].close()


class TaskOwnerTests(unittest.TestCase):
    def test_task_that_is_done_owns_nothing(self) -> None:
        adapter = Asynchronous("/nowhere")
        self.addCleanup(adapter.close)
        with Pairs(REPLIES):
            watch = adapter.call("watch")

            async def interrupted() -> None:
                # What an exception between this and the block after it leaves behind.
                watch._line.__enter__()
                watch._line.__enter__()

            adapter.run(interrupted())
            self.assertIsInstance(adapter.next(watch), Status)
            adapter.run(interrupted())
            watch.close()
            self.assertIsNone(watch._line._socket)


class ForkContract:
    adapter_type: type[Any]

    def setUp(self: Any) -> None:
        self.adapter = self.adapter_type("/nowhere")
        self.addCleanup(self.adapter.close)
        self.pairs = self.enterContext(Pairs(message(status=status())))

    def test_close_in_a_child_leaves_the_parents_stream(self: Any) -> None:
        watch = self.adapter.call("watch")
        self.assertIsInstance(self.adapter.next(watch), Status)
        # While another thread or task waits for an update, and while none does.
        with self.in_use(watch):
            for close in (watch.close, self.adapter.client.close):
                os.waitpid(in_a_child(close), 0)
        for close in (watch.close, self.adapter.client.close, watch.__del__):
            os.waitpid(in_a_child(close), 0)
        self.pairs.peers[0].sendall(message(location=location(1)))
        self.assertIsInstance(self.adapter.next(watch), Location)
        watch.close()

    def test_close_in_the_parent_does_not_wait_for_the_child(self: Any) -> None:
        watch = self.adapter.call("watch")
        self.assertIsInstance(self.adapter.next(watch), Status)
        mine, childs = socket.socketpair()
        with mine, childs:
            child = in_a_child(lambda: childs.recv(1))
            try:
                watch.close()
                while self.pairs.peers[0].recv(65536):
                    pass
            finally:
                mine.sendall(b"!")
                os.waitpid(child, 0)


class BlockingForkTests(ForkContract, unittest.TestCase):
    adapter_type = Blocking

    @contextmanager
    def in_use(self, watch: Watch) -> Iterator[None]:
        entered, leave = threading.Event(), threading.Event()

        def use() -> None:
            with watch._line:
                entered.set()
                leave.wait(PATIENCE)

        thread = threading.Thread(target=use)
        thread.start()
        entered.wait(PATIENCE)
        try:
            yield
        finally:
            leave.set()
            thread.join(PATIENCE)


class AsynchronousForkTests(ForkContract, unittest.TestCase):
    adapter_type = Asynchronous

    @contextmanager
    def in_use(self, watch: AsyncWatch) -> Iterator[None]:
        leave = asyncio.Event()

        async def use() -> None:
            with watch._line:
                await leave.wait()

        async def start() -> "asyncio.Task[None]":
            task = asyncio.ensure_future(use())
            await asyncio.sleep(0)
            return task

        adapter: Any = self
        task = adapter.adapter.run(start())
        try:
            yield
        finally:
            leave.set()
            adapter.adapter.run(task)
