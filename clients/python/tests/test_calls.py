"""Single calls against a scripted daemon, for the blocking client and the asynchronous one."""

import socket
import threading
import unittest
from contextlib import ExitStack
from typing import Any

import locationd
from locationd import Authorization, Coordinate, Region, SourceState, Status, Unreachable

from .adapters import Asynchronous, Blocking
from .contract import INTERFACE, ClientContract
from .samples import location, status
from .scripted import PATIENCE, Peer, message


class Calls(ClientContract):
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
            ("NotAuthorized", {"authorization": "later", "reason": "Ask alice."}, {"authorization": None}),
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
            (
                "org.varlink.service.InvalidParameter",
                {"parameter": "regions[0].requiredAccuracy", "reason": "must be more than 0"},
                locationd.InvalidParameter,
                r"^regions\[0\]\.required_accuracy is not accepted: must be more than 0\.$",
            ),
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

    def test_get_waits_for_its_timeout_beyond_the_silence(self: Any) -> None:
        def serve(peer: Peer) -> None:
            get = peer.call()["method"].endswith("GetLocation")
            peer.reply(last=True, **({"location": location()} if get else {"status": status()}))

        waits = self.adapter.record_waits(self.stack)
        for method, options, least, most in (
            ("status", {}, 0, 10),
            ("get", {}, 10, 40),
            ("get", {"timeout": 50_000}, 50_000, 50_010),
            ("get", {"timeout": 1e9}, 86_400, 86_410),
            ("get", {"timeout": -5}, 0, 10),
        ):
            self.daemon.start(serve)
            self.adapter.call(method, **options)
            self.daemon.finish()
            with self.subTest(method, options=options):
                self.assertTrue(least < waits[-1] <= most, waits)

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

        def usage(peer: Peer) -> None:
            self.assertEqual(peer.call(), {"method": INTERFACE + "WatchUsage", "parameters": {"all": True}})
            maps = {"user": 1000, "program": "maps", "since": "2026-03-01T12:00:00.000Z", "locations": 3, "accuracy": "full"}
            old = {"user": 1000, "last": "2026-03-01T11:00:00.000Z", "locations": 0, "countedSince": "2026-03-01T11:30:00.000Z",
                   "accuracy": "precise"}
            peer.reply(last=True, usage=[maps, old])

        self.daemon.start(list_monitors, change, remove, receivers, usage)
        (monitor,) = self.adapter.call("monitors")
        self.assertEqual(monitor.regions[0], Region("home", center=Coordinate(1, 2), radius=50))
        self.assertEqual(monitor.reports[0].location.sequence, 2)
        self.adapter.call("change_regions", "m", add=[Region("a", center=Coordinate(1, 2), radius=50)], remove=["b"])
        self.adapter.call("remove_monitor", "m")
        self.assertEqual([receiver.device for receiver in self.adapter.call("receivers")], ["/dev/ttyACM0", None])
        maps, old = self.adapter.call("usage", all=True)
        self.assertEqual((maps.user, maps.program, maps.locations, maps.accuracy), (1000, "maps", 3, locationd.Accuracy.FULL))
        self.assertEqual((maps.last, old.program, old.since, old.accuracy), (None, None, None, None))
        self.assertEqual((old.last.hour, old.counted_since.minute), (11, 30))
        self.daemon.finish()

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


class BlockingCallTests(Calls, unittest.TestCase):
    adapter_type = Blocking


class AsynchronousCallTests(Calls, unittest.TestCase):
    adapter_type = Asynchronous
