"""Every rule of the clients against a scripted daemon, for the blocking client and the asynchronous one."""

import os
import socket
import threading
import unittest
from contextlib import ExitStack
from typing import Any
from unittest import mock

import locationd
from locationd import Authorization, Coordinate, Location, Region, SourceState, Status, Unreachable
from locationd.session import LIBRARY

from .adapters import Asynchronous, Blocking, rest
from .samples import location, status
from .scripted import PATIENCE, Peer, ScriptedDaemon, message

INTERFACE = "org.locationd.location."


class ClientContract:
    """The tests; its two subclasses say for which client."""

    adapter_type: type[Any]

    def setUp(self: Any) -> None:
        self.daemon = ScriptedDaemon()
        self.addCleanup(self.daemon.remove)
        self.adapter = self.adapter_type(self.daemon.path)
        self.addCleanup(self.adapter.close)
        self.pauses: list[float] = []
        self.on_pause = lambda: None
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)

        def pause(seconds: float) -> None:
            # Also called before the first attempt, which waits for nothing.
            if seconds > 0:
                self.pauses.append(seconds)
                self.on_pause()

        self.adapter_type.replace_pause(self.stack, pause)

    def patience(self: Any, seconds: float) -> None:
        """Shortens the wait for a daemon that does not answer in this test."""
        self.stack.enter_context(mock.patch.object(self.adapter_type.module, "SILENCE", seconds))

    def next(self: Any, updates: Any) -> Any:
        return self.adapter.next(updates)

    # Single calls

    def test_status(self: Any) -> None:
        def serve(peer: Peer) -> None:
            self.assertEqual(peer.call(), {"method": INTERFACE + "GetStatus", "parameters": {}})
            peer.reply(last=True, status=status(reason="no sky", later={}))
            peer.until_closed()

        self.daemon.start(serve)
        value = self.adapter.call("status")
        self.assertEqual((value.source, value.reason, value.connected), (SourceState.TRACKING, "no sky", True))
        self.daemon.finish()

    def test_get_sends_its_options(self: Any) -> None:
        def serve(peer: Peer) -> None:
            self.assertEqual(peer.call()["parameters"], {"maximumAge": 5, "timeout": 2, "requiredAccuracy": 20, "passive": True})
            peer.reply(last=True, location=location(3))

        self.daemon.start(serve)
        value = self.adapter.call("get", maximum_age=5, timeout=2, required_accuracy=20, passive=True)
        self.assertEqual(value.sequence, 3)
        self.daemon.finish()

    def test_errors_are_exceptions(self: Any) -> None:
        cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("NotAuthorized", {"authorization": "denied", "reason": "Ask alice."}, {"authorization": "denied", "reason": "Ask alice."}),
            ("NotAuthorized", {"authorization": "later", "reason": "Ask."}, {"authorization": None}),
            ("Disabled", {}, {}),
            ("LocationUnavailable", {"reason": "No gpsd."}, {"reason": "No gpsd.", "best": None}),
            ("TimedOut", {}, {"best": None}),
            ("TooManyClients", {"limit": 4}, {"limit": 4}),
            ("TooManyRequests", {"limit": 4}, {"limit": 4}),
            ("TooManyAuthorizations", {"limit": 4}, {"limit": 4}),
            ("TooManyRegions", {"limit": 4}, {"limit": 4}),
            ("NoSuchMonitor", {"name": "home"}, {"monitor": "home"}),
            ("MonitorInUse", {"name": "home"}, {"monitor": "home"}),
        ]

        def serve(name: str, parameters: dict[str, Any]) -> Any:
            def script(peer: Peer) -> None:
                peer.call()
                peer.error(INTERFACE + name, **parameters)

            return script

        self.daemon.start(*(serve(name, parameters) for name, parameters, _ in cases))
        for name, _, attributes in cases:
            with self.subTest(name), self.assertRaises(getattr(locationd, name)) as raised:
                self.adapter.call("get")
            self.assertEqual(raised.exception.name, INTERFACE + name)
            self.assertGreater(len(str(raised.exception)), 20)
            for attribute, value in attributes.items():
                self.assertEqual(getattr(raised.exception, attribute), value)
        self.daemon.finish()

    def test_errors_of_varlink_and_of_a_later_daemon(self: Any) -> None:
        cases: list[tuple[str, dict[str, Any], type[Exception], str]] = [
            ("org.varlink.service.InvalidParameter", {"parameter": "timeout"}, locationd.InvalidParameter, "timeout"),
            ("org.varlink.service.PermissionDenied", {}, locationd.PermissionDenied, "administrators"),
            ("org.varlink.service.MethodNotFound", {"method": "x.Y"}, locationd.LocationdError, "older"),
            (INTERFACE + "Later", {"reason": "Because."}, locationd.LocationdError, "Because."),
        ]

        def serve(name: str, parameters: dict[str, Any]) -> Any:
            def script(peer: Peer) -> None:
                peer.call()
                peer.error(name, **parameters)

            return script

        self.daemon.start(*(serve(name, parameters) for name, parameters, _, _ in cases))
        for name, _, kind, text in cases:
            with self.assertRaisesRegex(kind, text) as raised:
                self.adapter.call("get")
            self.assertEqual(raised.exception.name, name)
        self.daemon.finish()

    def test_best_location_of_a_time_out(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.error(INTERFACE + "TimedOut", best=location(9))

        self.daemon.start(serve)
        with self.assertRaises(locationd.TimedOut) as raised:
            self.adapter.call("get")
        self.assertEqual(raised.exception.best.sequence, 9)
        self.daemon.finish()

    def test_absent_socket_and_one_that_nobody_listens_at(self: Any) -> None:
        with self.assertRaisesRegex(Unreachable, "no socket at .*systemctl start"):
            self.adapter.call("get")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.daemon.path)
            with self.assertRaisesRegex(Unreachable, "nothing listens"):
                self.adapter.call("status")
        self.assertEqual(self.pauses, [])

    def test_silent_daemon_hangs_no_call(self: Any) -> None:
        self.patience(0.05)
        self.daemon.start(Peer.until_closed, Peer.until_closed)
        with self.assertRaisesRegex(Unreachable, "does not answer"):
            self.adapter.call("status")
        with self.assertRaisesRegex(Unreachable, "does not answer"):
            self.adapter.call("get", timeout=0.01)
        self.daemon.finish()

    def test_daemon_that_reads_nothing_hangs_no_call(self: Any) -> None:
        self.patience(0.2)
        ended = threading.Event()
        self.addCleanup(ended.set)
        self.daemon.start(lambda peer: ended.wait(PATIENCE))
        corners = [Coordinate(float(number % 80), 0.0) for number in range(100_000)]
        with self.assertRaisesRegex(Unreachable, "does not answer"):
            self.adapter.call("change_regions", "home", add=[Region("large", polygon=corners)])
        ended.set()
        self.daemon.finish()

    def test_full_backlog_hangs_no_call(self: Any) -> None:
        self.patience(0.05)
        with socket.socket(socket.AF_UNIX) as listener, ExitStack() as stack:
            listener.bind(self.daemon.path)
            listener.listen(0)
            while True:
                waiting = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK))
                try:
                    waiting.connect(self.daemon.path)
                except BlockingIOError:
                    break
            with self.assertRaisesRegex(Unreachable, "does not answer"):
                self.adapter.call("status")
            watch = self.adapter.call("watch")
            self.assertIn("does not answer", self.next(watch).reason)
            watch.close()

    def test_unusable_answers_are_unreachable(self: Any) -> None:
        answers = [b"garbage\0", b'{"parameters":{}}\0', message(last=True, location={}), b"x" * ((1 << 20) + 1), b"half", b""]

        def serve(answer: bytes) -> Any:
            def script(peer: Peer) -> None:
                peer.call()
                peer.send(answer)

            return script

        self.daemon.start(*map(serve, answers))
        for _ in answers:
            with self.assertRaises(Unreachable):
                self.adapter.call("get")
        self.daemon.finish()

    def test_answer_that_continues_is_an_answer(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.send(message(status=status()) * 3)

        self.daemon.start(serve)
        self.assertIsInstance(self.adapter.call("status"), Status)
        self.daemon.finish()

    def test_monitors_are_listed_changed_and_removed(self: Any) -> None:
        def list_monitors(peer: Peer) -> None:
            peer.call()
            report = {"identifier": "home", "state": "inside", "location": location(2)}
            region = {"identifier": "home", "center": {"latitude": 1, "longitude": 2}, "radius": 50}
            peer.reply(last=True, monitors=[{"name": "m", "active": True, "regions": [region], "visits": False, "reports": [report]}])

        def change(peer: Peer) -> None:
            expected = {"name": "m", "add": [{"identifier": "a", "center": {"latitude": 1, "longitude": 2}, "radius": 50}], "remove": ["b"]}
            self.assertEqual(peer.call(), {"method": INTERFACE + "ChangeRegions", "parameters": expected})
            peer.reply(last=True)

        def remove(peer: Peer) -> None:
            self.assertEqual(peer.call(), {"method": INTERFACE + "RemoveMonitor", "parameters": {"name": "m"}})
            peer.reply(last=True)

        def receivers(peer: Peer) -> None:
            peer.call()
            peer.reply(last=True, receivers=[{"source": "gpsd", "device": "/dev/ttyACM0"}, {"source": "simulator"}])

        self.daemon.start(list_monitors, change, remove, receivers)
        (monitor,) = self.adapter.call("monitors")
        self.assertEqual(monitor.regions[0], Region("home", center=Coordinate(1, 2), radius=50))
        self.assertEqual(monitor.reports[0].location.sequence, 2)
        self.adapter.call("change_regions", "m", add=[Region("a", center=Coordinate(1, 2), radius=50)], remove=["b"])
        self.adapter.call("remove_monitor", "m")
        self.assertEqual([receiver.device for receiver in self.adapter.call("receivers")], ["/dev/ttyACM0", None])
        self.daemon.finish()

    # Authorization

    def test_authorization_waits_for_the_decision(self: Any) -> None:
        self.patience(PATIENCE)

        def serve(peer: Peer) -> None:
            call = peer.call()
            self.assertEqual(call["more"], True)
            self.assertEqual(call["parameters"], {"level": "always", "purpose": "tea"})
            peer.reply(status=status(authorization="notDetermined", authorizationPending=True))
            peer.reply(last=True, status=status())

        self.daemon.start(serve)
        value = self.adapter.call("request_authorization", level=locationd.AuthorizationLevel.ALWAYS, purpose="tea")
        self.assertIs(value.authorization, Authorization.AUTHORIZED_ALWAYS)
        self.daemon.finish()

    def test_authorization_without_waiting(self: Any) -> None:
        def serve(peer: Peer) -> None:
            self.assertNotIn("more", peer.call())
            peer.reply(last=True, status=status(authorization="notDetermined", authorizationPending=True))

        self.daemon.start(serve)
        value = self.adapter.call("request_authorization", wait=False)
        self.assertTrue(value.authorization_pending)
        self.daemon.finish()

    def test_daemon_that_ends_has_decided_nothing(self: Any) -> None:
        def stop(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status(authorization="notDetermined"))
            peer.reply(last=True, status=status(authorization="notDetermined", reason="stopping"))

        def vanish(peer: Peer) -> None:
            peer.call()
            peer.reply(status=status(authorization="notDetermined"))

        self.daemon.start(stop, vanish)
        for _ in range(2):
            with self.assertRaises(Unreachable):
                self.adapter.call("request_authorization")
        self.daemon.finish()

    # Watches

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
        self.assertEqual(self.pauses, [0.25, 0.5, 1])
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
        self.assertEqual(set(self.pauses), {0.25})
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


class BlockingTests(ClientContract, unittest.TestCase):
    adapter_type = Blocking


class AsynchronousTests(ClientContract, unittest.TestCase):
    adapter_type = Asynchronous


class PathTests(unittest.TestCase):
    def test_path_that_no_socket_can_have_is_refused(self) -> None:
        for path, text in (("/tmp/a\0b", "NUL"), ("/" + "x" * 107, "108 bytes"), ("", "empty")):
            for client in (locationd.Client, locationd.AsyncClient):
                with self.assertRaisesRegex(ValueError, text):
                    client(path)
        self.assertEqual(locationd.Client("/" + "x" * 106).socket_path, "/" + "x" * 106)

    def test_path_comes_from_the_environment(self) -> None:
        with mock.patch.dict(os.environ, LOCATIOND_SOCKET="/run/other"):
            self.assertEqual(locationd.Client().socket_path, "/run/other")
            self.assertEqual(locationd.Client("/run/mine").socket_path, "/run/mine")
        with mock.patch.dict(os.environ):
            os.environ.pop("LOCATIOND_SOCKET", None)
            self.assertEqual(locationd.Client().socket_path, "/run/locationd/locationd.sock")

    def test_numbers_that_are_not_finite_are_refused_before_a_connection_is_made(self) -> None:
        client = locationd.Client("/nowhere")
        with self.assertRaises(Unreachable):
            client.get(timeout=10**400)
        with self.assertRaises(ValueError):
            client.get(timeout=float("nan"))
        with self.assertRaises(ValueError):
            client.watch(distance_filter=float("inf"))
