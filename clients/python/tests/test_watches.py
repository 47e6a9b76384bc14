"""Watches and monitors against a scripted daemon, for the blocking client and the asynchronous one."""

import socket
import threading
import unittest
from typing import Any

import locationd
from locationd import Coordinate, Location, Region, Status
from locationd.session import LIBRARY

from .adapters import Asynchronous, Blocking, rest
from .contract import INTERFACE, ClientContract
from .samples import location, status
from .scripted import PATIENCE, Peer, message


class Updates(ClientContract):
    def test_watch_sends_its_options_and_its_library(self: Any) -> None:
        def serve(peer: Peer) -> None:
            expected = {"activityType": "fitness", "everySource": False, "library": LIBRARY}
            self.assertEqual(peer.call(), {"method": INTERFACE + "Watch", "parameters": expected, "more": True})
            peer.reply(status=status(), location=location(1))
            peer.reply(heading={"trueHeading": 3, "age": 2})
            peer.reply(satellites=[{"gnss": "GPS", "id": 3, "used": True}])
            peer.reply(last=True, status=status(reason="duration"))
            peer.until_closed()

        self.daemon.start(serve)
        watch = self.adapter.call("watch", activity_type=locationd.ActivityType.FITNESS, every_source=False)
        updates = list(rest(self.adapter, watch))
        self.assertEqual([type(update).__name__ for update in updates], ["Status", "Location", "Heading", "Satellites", "Status"])
        self.assertGreaterEqual(updates[2].age(), 2)
        self.assertEqual([satellite.id for satellite in updates[3]], [3])
        self.assertEqual(list(rest(self.adapter, watch)), [])
        self.daemon.finish()

    def test_watch_outlives_the_daemon(self: Any) -> None:
        def first(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status(accuracy="reduced"), location=location(1), dropped=2)

        def second(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status(), location=location(1))
            peer.reply(location=location(2), dropped=1)
            peer.until_closed()

        self.daemon.start(first)

        def restart() -> None:
            if len(self.pauses) == 3:
                self.daemon.finish()
                self.daemon.start(second)

        self.on_pause = restart
        watch = self.adapter.call("watch")
        updates = [self.next(watch) for _ in range(5)]
        self.assertEqual([type(update).__name__ for update in updates], ["Status", "Location", "Status", "Status", "Location"])
        outage = updates[2]
        self.assertEqual((outage.connected, outage.source, outage.accuracy), (False, "unavailable", "reduced"))
        self.assertEqual(updates[4].sequence, 2)
        self.assertEqual(watch.dropped, 3)
        self.assertEqual(self.pauses, [1.5, 0.25, 0.5])
        watch.close()
        self.daemon.finish()

    def test_socket_that_is_absent_at_first_is_an_outage(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status())
            peer.until_closed()

        self.on_pause = lambda: self.daemon.start(serve) if len(self.pauses) == 2 else None
        watch = self.adapter.call("watch")
        self.assertIn("no socket", self.next(watch).reason)
        self.assertTrue(self.next(watch).connected)
        watch.close()
        self.daemon.finish()

    def test_silence_before_the_first_reply_is_an_outage_and_afterwards_it_is_not(self: Any) -> None:
        self.patience(0.2)
        go_on = threading.Event()

        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status())
            go_on.wait(PATIENCE)
            peer.reply(location=location(1))
            peer.until_closed()

        self.daemon.start(Peer.until_closed)
        watch = self.adapter.call("watch")
        self.assertIn("does not answer", self.next(watch).reason)
        self.daemon.finish()
        # The daemon is there at once now: it has all the time that a test has.
        self.patience(PATIENCE)
        self.daemon.start(serve)
        self.assertTrue(self.next(watch).connected)
        self.patience(0)
        timer = threading.Timer(0.1, go_on.set)
        timer.start()
        self.assertIsInstance(self.next(watch), Location)
        timer.join()
        watch.close()
        self.daemon.finish()

    def test_messages_are_read_wherever_reads_end(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            for byte in message(status=status(), location=location(1)):
                peer.send(bytes([byte]))
            peer.send(message(location=location(2)) + message(location=location(3)) + message(location=location(4))[:20])

        self.daemon.start(serve)
        watch = self.adapter.call("watch")
        sequences = []
        while isinstance(update := self.next(watch), Location) or update.connected:
            sequences.append(getattr(update, "sequence", 0))
        self.assertEqual(sequences, [0, 1, 2, 3])
        watch.close()
        self.daemon.finish()

    def test_unreadable_replies_are_outages(self: Any) -> None:
        replies = [
            b"garbage\0",
            b"\0",
            b'{"parameters":{"location":{"latitude":NaN}},"continues":true}\0',
            message(location=location(2, latitude=91)),
            message(location=location(2) | {"sequence": None}),
            b'{"parameters":{"status":"\xff"}}\0',
            b"x" * ((1 << 20) + 1),
        ]

        def serve(reply: bytes) -> Any:
            def script(peer: Peer) -> None:
                peer.call()
                peer.reply(status=status())
                try:
                    peer.send(reply)
                except BrokenPipeError:
                    pass
                peer.until_closed()

            return script

        self.daemon.start(*map(serve, replies))
        watch = self.adapter.call("watch")
        for _ in replies:
            self.assertTrue(self.next(watch).connected)
            self.assertIn("cannot be read", self.next(watch).reason)
        self.assertEqual(set(self.pauses), {1.5})
        watch.close()
        self.daemon.finish()

    def test_what_a_later_daemon_adds_is_skipped(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(weather={"rain": True})
            peer.reply(location=location(1, mode="fourDimensional", colour="green"), weather=None)
            peer.until_closed()

        self.daemon.start(serve)
        watch = self.adapter.call("watch")
        value = self.next(watch)
        self.assertEqual((value.sequence, value.mode), (1, None))
        watch.close()
        self.daemon.finish()

    def test_final_error_is_raised_once(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.error("org.varlink.service.InvalidParameter", parameter="interval")
            peer.until_closed()

        self.daemon.start(serve)
        watch = self.adapter.call("watch", interval=-1)
        with self.assertRaises(locationd.InvalidParameter):
            self.next(watch)
        with self.assertRaises(StopIteration):
            self.next(watch)
        self.daemon.finish()

    def test_daemon_that_goes_on_after_the_end_is_not_heard(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            try:
                while True:
                    peer.reply(location=location(1))
            except (BrokenPipeError, ConnectionResetError):
                pass

        self.daemon.start(serve)
        watch = self.adapter.call("watch", maximum_updates=1)
        self.assertEqual(len(list(rest(self.adapter, watch))), 1)
        self.daemon.finish()

    def test_client_that_does_not_ask_reads_nothing(self: Any) -> None:
        blocked = threading.Event()

        def serve(peer: Peer) -> None:
            peer.call()
            peer.socket.setblocking(False)
            sequence = 0
            try:
                while True:
                    sequence += 1
                    peer.reply(location=location(sequence))
                    if sequence > 100_000:
                        raise AssertionError("the client reads without end")
            except BlockingIOError:
                blocked.set()
            peer.socket.settimeout(PATIENCE)
            peer.until_closed()

        self.daemon.start(serve)
        watch = self.adapter.call("watch")
        self.next(watch)
        self.assertTrue(blocked.wait(PATIENCE))
        self.assertLess(len(watch._line._buffer._bytes), 1 << 17)
        self.assertLess(len(watch._ready), 4)
        watch.close()
        self.daemon.finish()

    def test_close_releases_the_descriptor(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status())
            peer.until_closed()

        self.daemon.start(serve, serve, serve)
        watches = [self.adapter.call("watch") for _ in range(3)]
        for watch in watches:
            self.next(watch)
        sockets = [watch._line._socket for watch in watches]
        watches[0].close()
        watches[0].close()
        with self.assertRaises(StopIteration):
            self.next(watches[0])
        self.assertEqual([socket.fileno() == -1 for socket in sockets], [True, False, False])
        del watches[1], watch
        self.assertEqual([socket.fileno() == -1 for socket in sockets], [True, True, False])
        self.adapter.client.close()
        self.assertEqual([socket.fileno() == -1 for socket in sockets], [True, True, True])
        with self.assertRaises(RuntimeError):
            self.adapter.call("watch")
        self.daemon.finish()

    def test_regions_are_reported(self: Any) -> None:
        def serve(peer: Peer) -> None:
            call = peer.call()
            self.assertEqual(call["method"], INTERFACE + "Monitor")
            self.assertEqual(call["parameters"]["library"], LIBRARY)
            peer.reply(status=status())
            peer.reply(region={"identifier": "home", "state": "inside", "event": "entered", "location": location(4)})
            peer.reply(location=location(4))
            peer.reply(visit={"latitude": 1, "longitude": 2, "horizontalAccuracy": 3, "isPresent": True})
            peer.error(INTERFACE + "NoSuchMonitor", name="home")

        self.daemon.start(serve)
        monitor = self.adapter.call("regions", name="home", regions=[Region("home", center=Coordinate(1, 2), radius=9)], visits=True)
        kinds = [type(self.next(monitor)).__name__ for _ in range(4)]
        self.assertEqual(kinds, ["Status", "RegionReport", "Location", "Visit"])
        with self.assertRaises(locationd.NoSuchMonitor):
            self.next(monitor)
        self.daemon.finish()


class BlockingUpdateTests(Updates, unittest.TestCase):
    adapter_type = Blocking


class AsynchronousUpdateTests(Updates, unittest.TestCase):
    adapter_type = Asynchronous
