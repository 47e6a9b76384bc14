"""The track: against the interface's file, a scripted service and the real one.

`LOCATIOND_TEST_HISTORY` is the path of locationd-history; without it and `LOCATIOND_TEST_DAEMON` the last are skipped.
"""

import asyncio
import os
import subprocess
import time
import unittest
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from unittest import mock

import locationd
from locationd import AsyncHistory, History, LocationdError, Method, NotAuthorized, TrackPoint, Unreachable
from locationd.history import INTERFACE

from . import test_daemon
from .interruption import descriptors
from .scripted import PATIENCE, Peer, ScriptedDaemon
from .test_types import TypeAssertions
from .varlink_file import HISTORY_FILE, Interface

SERVICE = os.environ.get("LOCATIOND_TEST_HISTORY")


def point(minute: int, **fields: object) -> dict[str, object]:
    return {
        "time": f"2026-11-28T06:{minute:02}:00.250Z",
        "latitude": 52.5,
        "longitude": 13.4,
        "source": "gpsd",
        "method": "gnss",
        "simulated": False,
        **fields,
    }


class HistoryTypeTests(TypeAssertions):
    def test_every_type_of_a_track_has_the_fields_of_the_interface_and_is_frozen(self) -> None:
        if not HISTORY_FILE.exists():
            self.skipTest("the interface's file is not beside the package")
        types = Interface(HISTORY_FILE.read_text()).types
        # An unknown value is None.
        types["Point"]["method"] = types["Point"]["method"].replace(", unknown", "")
        for name in ("Trip", "Stay", "Point"):
            self.assert_fields(name, types[name], getattr(locationd, {"Point": "TrackPoint"}.get(name, name)))


class Tracks:
    """One set of tests for both clients."""

    def setUp(self: Any) -> None:
        self.before = descriptors()
        self.service = ScriptedDaemon()
        self.addCleanup(self.service.remove)

    def test_track_comes_in_portions(self: Any) -> None:
        def serve(peer: Peer) -> None:
            parameters = {"from": "2026-11-28T06:00:00.000Z", "to": "2026-11-28T07:00:00.500Z", "trip": 3, "includeSimulated": True}
            self.assertEqual(peer.call(), {"method": INTERFACE + "GetTrack", "parameters": parameters, "more": True})
            peer.reply(points=[point(1, speed=2), point(2, afterGap=True, later=1)])
            peer.reply(last=True, points=[point(3, method="oracle")])
            peer.until_closed()

        self.service.start(serve)
        begin = datetime(2026, 11, 28, 8, tzinfo=timezone(timedelta(hours=2)))
        end = datetime(2026, 11, 28, 7, 0, 0, 500000, UTC)
        points = self.track(begin=begin, end=end, trip=3, include_simulated=True)
        self.assertEqual([each.time.minute for each in points], [1, 2, 3])
        self.assertEqual(points[0].time, datetime(2026, 11, 28, 6, 1, 0, 250000, UTC))
        self.assertEqual((points[0].speed, points[1].after_gap, points[2].method), (2, True, None))
        self.service.finish()
        self.assertEqual(descriptors() - self.before, set())

    def test_trips_and_stays(self: Any) -> None:
        trip = {"number": 7, "begin": "2026-11-28T06:00:00Z", "distanceSoFar": 5.5}
        stay = {"latitude": 1, "longitude": 2, "accuracy": 30, "arrival": "2026-11-28T06:00:00Z"}

        def serve(method: str, **reply: object) -> Callable[[Peer], None]:
            def script(peer: Peer) -> None:
                self.assertEqual(peer.call(), {"method": INTERFACE + method, "parameters": {}})
                peer.reply(last=True, **reply)

            return script

        self.service.start(serve("GetTrips", trips=[trip]), serve("GetStays", stays=[stay]))
        (read,) = self.call("trips")
        self.assertEqual((read.number, read.end, read.distance_so_far), (7, None, 5.5))
        (read,) = self.call("stays")
        self.assertEqual((read.longitude, read.accuracy, read.departure), (2, 30, None))
        self.service.finish()

    def test_denial_in_between_ends_the_track(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(points=[point(1)])
            peer.error(INTERFACE + "NotAuthorized", reason="Ask alice.")

        self.service.start(serve)
        points: list[TrackPoint] = []
        with self.assertRaisesRegex(NotAuthorized, "^Not authorized: Ask alice.$") as raised:
            self.track(points)
        self.assertEqual(raised.exception.name, INTERFACE + "NotAuthorized")
        self.assertEqual(len(points), 1)
        self.service.finish()

    def test_errors_say_what_is_wrong(self: Any) -> None:
        errors: list[tuple[str, dict[str, object], str]] = [
            ("NoSuchTrip", {"number": 9}, "there is no trip 9"),
            ("FileUnusable", {"reason": "the disk is full"}, "the disk is full"),
            ("Busy", {"limit": 4}, "try again later"),
            ("Cancelled", {}, "was stopped"),
            ("Later", {}, "Later"),
        ]

        def serve(name: str, parameters: dict[str, object]) -> Callable[[Peer], None]:
            def script(peer: Peer) -> None:
                peer.call()
                peer.error(INTERFACE + name, **parameters)

            return script

        self.service.start(*(serve(name, parameters) for name, parameters, _ in errors))
        for name, _, words in errors:
            with self.subTest(name), self.assertRaisesRegex(LocationdError, words) as raised:
                self.track()
            self.assertEqual(raised.exception.name, INTERFACE + name)
        self.service.finish()
        with self.assertRaisesRegex(Unreachable, "enable --now locationd-history"):
            self.call("trips")

    def test_silence_between_portions_hangs_nothing(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(points=[point(1)])
            peer.until_closed()

        self.service.start(serve)
        with mock.patch("locationd.client.SILENCE", 0.2), mock.patch("locationd.aio.SILENCE", 0.2):
            with self.assertRaisesRegex(Unreachable, "does not answer"):
                self.track()
        self.service.finish()

    def test_track_may_be_left_before_its_end(self: Any) -> None:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(points=[point(1), point(2)])
            peer.until_closed()

        self.service.start(serve)
        self.assertEqual(self.first_of_track().time.minute, 1)
        self.service.finish()
        self.assertEqual(descriptors() - self.before, set())


class BlockingTrackTests(Tracks, unittest.TestCase):
    def call(self, method: str) -> Any:
        with History(self.service.path) as history:
            return getattr(history, method)()

    def track(self, points: list[TrackPoint] | None = None, **options: Any) -> list[TrackPoint]:
        points = [] if points is None else points
        with History(self.service.path) as history:
            for each in history.track(**options):
                points.append(each)
        return points

    def first_of_track(self) -> TrackPoint:
        # The history stays open.
        return next(History(self.service.path).track())


class AsynchronousTrackTests(Tracks, unittest.TestCase):
    def call(self, method: str) -> Any:
        async def call() -> Any:
            async with AsyncHistory(self.service.path) as history:
                return await getattr(history, method)()

        return asyncio.run(call())

    def track(self, points: list[TrackPoint] | None = None, **options: Any) -> list[TrackPoint]:
        read: list[TrackPoint] = [] if points is None else points

        async def track() -> None:
            async with AsyncHistory(self.service.path) as history:
                async for each in history.track(**options):
                    read.append(each)

        asyncio.run(track())
        return read

    def first_of_track(self) -> TrackPoint:
        async def first() -> TrackPoint:
            return await anext(AsyncHistory(self.service.path).track())

        return asyncio.run(first())


@unittest.skipUnless(SERVICE, "LOCATIOND_TEST_HISTORY does not name the program")
class RealHistoryTests(test_daemon.RunningDaemon):
    def setUp(self) -> None:
        super().setUp()
        assert SERVICE is not None
        arguments = ["--daemon", "run/locationd.sock", "--file", "track.gpkg", "--socket", "history.sock", "--include-simulated"]
        service = subprocess.Popen([SERVICE, *arguments], cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(service.wait, PATIENCE)
        self.addCleanup(service.terminate)
        self.socket = os.path.join(self.directory, "history.sock")
        self.history = History(self.socket)
        self.addCleanup(self.history.close)

    def read(self) -> list[TrackPoint]:
        """The track, as soon as it has two points."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if len(points := list(self.history.track(include_simulated=True))) > 1:
                    return points
            except Unreachable:
                pass
            self.assertLess(time.monotonic(), deadline)
            # Nothing tells when a point is recorded.
            time.sleep(0.05)

    def test_track_of_the_simulated_drive(self) -> None:
        points = self.read()
        self.assertEqual([each.time for each in points], sorted(each.time for each in points))
        self.assertTrue(all(each.simulated and each.method is Method.SIMULATED for each in points))
        self.assertEqual(list(self.history.track(end=points[0].time - timedelta(days=1), include_simulated=True)), [])
        self.assertEqual(list(self.history.track()), [])
        self.assertEqual([len(self.history.trips()), len(self.history.stays())], [1, 0])
        with self.assertRaisesRegex(LocationdError, "there is no trip 999"):
            list(self.history.track(trip=999))

        async def first() -> TrackPoint:
            async with AsyncHistory(self.socket) as history:
                return await anext(history.track(include_simulated=True))

        self.assertEqual(asyncio.run(first()), points[0])

    def test_other_user_is_refused(self) -> None:
        self.read()

        def refused() -> None:
            with History(self.socket) as history:
                try:
                    history.trips()
                except NotAuthorized as error:
                    assert error.reason
                    return
                raise AssertionError

        self.assertEqual(self.as_other_user(refused), 0)
