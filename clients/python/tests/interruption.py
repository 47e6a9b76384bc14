"""What tests of interruptions share."""

import os
import signal
import threading
import unittest

from .samples import location, status
from .scripted import PATIENCE, Peer, ScriptedDaemon


def descriptors() -> set[str]:
    """The open ones: number and what it is, so that a number that was used again is seen too."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
        except FileNotFoundError:
            pass  # The directory's own.
    return found


class InterruptionTests(unittest.TestCase):
    def setUp(self) -> None:
        # A program that was started in the background, as by `nohup … &`, has SIGINT ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        self.before = descriptors()
        self.daemon = ScriptedDaemon()
        self.addCleanup(self.daemon.remove)
        self.called = threading.Event()
        self.go_on = threading.Event()

    def silent(self, peer: Peer) -> None:
        """Reads a call and never answers."""
        peer.call()
        self.called.set()
        peer.until_closed()

    def in_two_parts(self, peer: Peer) -> None:
        peer.call()
        peer.reply(status=status())
        self.called.set()
        self.go_on.wait(PATIENCE)
        peer.reply(location=location(1))
        peer.until_closed()

    def assert_nothing_is_open(self) -> None:
        self.daemon.finish()
        self.assertEqual(descriptors() - self.before, set())
