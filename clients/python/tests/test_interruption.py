"""What ends the wait of a thread: another thread, a signal."""

import os
import pickle
import signal
import threading
import unittest
from unittest import mock

from locationd import Client, Location, Status, TimedOut, TooManyClients, Unreachable
from locationd.base import WatchUpdate
from locationd.reading import read_location
from locationd.wire import Fields

from .interruption import InterruptionTests
from .samples import location, status
from .scripted import PATIENCE, Peer


class ThreadTests(InterruptionTests):
    def test_close_from_another_thread_ends_the_iteration(self) -> None:
        self.daemon.start(self.in_two_parts)
        client = Client(self.daemon.path)
        watch = client.watch()
        updates: list[WatchUpdate] = []
        thread = threading.Thread(target=lambda: updates.extend(watch))
        thread.start()
        self.called.wait(PATIENCE)
        watch.close()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())
        self.go_on.set()
        self.assertLessEqual(len(updates), 1)
        try:
            self.daemon.finish()
        except BrokenPipeError:
            pass
        self.assert_nothing_is_open()

    def test_close_ends_the_wait_for_the_next_attempt(self) -> None:
        client = Client(self.daemon.path)
        waits = threading.Event()
        with mock.patch("locationd.session.SHORTEST_DELAY", 1000.0), mock.patch("locationd.session.LONGEST_DELAY", 1000.0):
            watch = client.watch()
            self.assertIsInstance(next(watch), Status)

        def wait() -> None:
            waits.set()
            for _ in watch:
                pass

        thread = threading.Thread(target=wait)
        thread.start()
        waits.wait(PATIENCE)
        client.close()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())
        self.assert_nothing_is_open()

    def test_close_of_the_client_ends_a_call(self) -> None:
        self.daemon.start(self.silent)
        client = Client(self.daemon.path)
        failures: list[Exception] = []

        def ask() -> None:
            try:
                client.request_authorization()
            except Unreachable as error:
                failures.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        self.called.wait(PATIENCE)
        client.close()
        thread.join(PATIENCE)
        self.assertIn("closed", str(failures[0]))
        self.assert_nothing_is_open()

    def test_second_thread_is_told(self) -> None:
        self.daemon.start(self.silent)
        watch = Client(self.daemon.path).watch()
        thread = threading.Thread(target=lambda: list(watch))
        thread.start()
        self.called.wait(PATIENCE)
        with self.assertRaises(RuntimeError):
            next(watch)
        watch.close()
        thread.join(PATIENCE)
        self.assert_nothing_is_open()

    def test_threads_share_a_client(self) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(last=True, status=status())

        self.daemon.start(*[serve] * 8)
        client = Client(self.daemon.path)
        statuses: list[Status] = []
        threads = [threading.Thread(target=lambda: statuses.append(client.status())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(len(statuses), 8)
        self.assert_nothing_is_open()

    def test_interrupt_leaves_a_watch_that_can_go_on(self) -> None:
        def interrupt() -> None:
            self.called.wait(PATIENCE)
            os.kill(os.getpid(), signal.SIGINT)

        self.daemon.start(self.in_two_parts)
        with Client(self.daemon.path).watch() as watch:
            self.assertIsInstance(next(watch), Status)
            # Only now, so that it comes while the next update is waited for.
            thread = threading.Thread(target=interrupt)
            with self.assertRaises(KeyboardInterrupt):
                thread.start()
                next(watch)
            thread.join(PATIENCE)
            self.go_on.set()
            self.assertIsInstance(next(watch), Location)
        self.assert_nothing_is_open()

    def test_interrupt_before_the_first_reply_leaves_nothing_open(self) -> None:
        def interrupt() -> None:
            self.called.wait(PATIENCE)
            os.kill(os.getpid(), signal.SIGINT)

        self.daemon.start(self.silent)
        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            Client(self.daemon.path).status()
        thread.join(PATIENCE)
        self.assert_nothing_is_open()

    def test_signal_with_a_handler_interrupts_nothing(self) -> None:
        handled = threading.Event()

        def send() -> None:
            self.called.wait(PATIENCE)
            os.kill(os.getpid(), signal.SIGUSR1)
            handled.wait(PATIENCE)
            self.go_on.set()

        previous = signal.signal(signal.SIGUSR1, lambda *_: handled.set())
        self.addCleanup(signal.signal, signal.SIGUSR1, previous)
        self.daemon.start(self.in_two_parts)
        thread = threading.Thread(target=send)
        with Client(self.daemon.path).watch() as watch:
            self.assertIsInstance(next(watch), Status)
            thread.start()
            self.assertIsInstance(next(watch), Location)
        thread.join(PATIENCE)
        self.assert_nothing_is_open()

    def test_watch_that_is_forgotten_leaves_nothing_open(self) -> None:
        self.daemon.start(self.in_two_parts)
        self.go_on.set()
        for update in Client(self.daemon.path).watch():
            if isinstance(update, Location):
                break
        self.assert_nothing_is_open()


class ErrorTests(unittest.TestCase):
    def test_errors_pass_between_processes(self) -> None:
        best = read_location(Fields(location(3), "location"))
        error = pickle.loads(pickle.dumps(TimedOut(best)))
        self.assertEqual((error.best, str(error)), (best, str(TimedOut(best))))
        self.assertEqual(pickle.loads(pickle.dumps(TooManyClients(4))).limit, 4)
        self.assertEqual(str(pickle.loads(pickle.dumps(Unreachable("Gone.")))), "Gone.")
