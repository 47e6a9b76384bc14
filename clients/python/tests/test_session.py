"""The rules of a watch over several connections, without I/O and time."""

import json
import unittest
from random import Random
from typing import Any

from locationd import Heading, InvalidParameter, Location, NoSuchMonitor, Satellites, SourceState, Status
from locationd.base import MonitorUpdate, WatchUpdate
from locationd.reading import read_monitor_updates, read_watch_updates
from locationd.session import LIBRARY, Phase, Session

from .samples import location, status


def watch(draw: float = 1.0, **parameters: object) -> Session[WatchUpdate]:
    return Session("Watch", parameters, read_watch_updates, lambda: draw)


def monitor(**parameters: object) -> Session[MonitorUpdate]:
    return Session("Monitor", parameters, read_monitor_updates)


def call(session: Session[Any]) -> dict[str, Any]:
    """The parameters of the call that the owner of the session sends now."""
    message = session.call()
    session.called()
    parameters = json.loads(message[:-1])["parameters"]
    assert isinstance(parameters, dict)
    return parameters


def receive(session: Session[Any], last: bool = False, **parameters: object) -> list[Any]:
    message = {"parameters": parameters} if last else {"parameters": parameters, "continues": True}
    return session.receive(json.dumps(message).encode(), 0)


def refuse(session: Session[Any], error: str, **parameters: object) -> list[Any]:
    return session.receive(json.dumps({"error": error, "parameters": parameters}).encode(), 0)


def sequences(updates: list[Any]) -> list[int]:
    return [update.sequence for update in updates if isinstance(update, Location)]


class OutageTests(unittest.TestCase):
    def test_an_outage_has_one_status_and_delays_that_double(self) -> None:
        for draw, expected in (1, [0.25, 0.5, 1, 2, 4, 8, 10, 10]), (0, [0.125, 0.25, 0.5, 1, 2, 4, 5, 5]):
            session = watch(draw)
            self.assertEqual(session.delay, 0)
            call(session)
            delays = []
            statuses = []
            for _ in range(8):
                statuses += session.lose("Gone.")
                self.assertIs(session.phase, Phase.OPENING)
                delays.append(session.delay)
                call(session)
            self.assertEqual(delays, expected)
            self.assertEqual(len(statuses), 1)

    def test_clients_that_had_an_answer_come_back_over_more_than_a_second(self) -> None:
        for draw, delay in (0, 0.25), (0.5, 0.875), (1, 1.5):
            session = watch(draw)
            call(session)
            receive(session, status=status())
            session.lose("Gone.")
            self.assertEqual(session.delay, delay)
            session.lose("Gone.")
            self.assertEqual(session.delay, 0.125 * (1 + draw))

    def test_a_good_reply_ends_the_outage(self) -> None:
        session = watch()
        session.lose("Gone.")
        session.lose("Gone.")
        call(session)
        receive(session, status=status())
        self.assertEqual(len(session.lose("Gone.")), 1)
        self.assertEqual(session.delay, 1.5)

    def test_status_of_the_outage_has_the_last_permission(self) -> None:
        session = watch()
        call(session)
        receive(session, status=status(authorization="denied", accuracy="reduced", fixAge=3, satellitesUsed=4))
        (outage,) = session.lose("Gone.")
        assert isinstance(outage, Status)
        self.assertEqual((outage.authorization, outage.accuracy), ("denied", "reduced"))
        self.assertIs(outage.source, SourceState.UNAVAILABLE)
        self.assertFalse(outage.connected)
        self.assertIn("Gone.", outage.reason or "")
        self.assertIsNone(outage.fix_age)
        self.assertIsNone(outage.satellites_used)

    def test_before_the_first_status_permission_is_unknown(self) -> None:
        (outage,) = watch().lose("Gone.")
        assert isinstance(outage, Status)
        self.assertIsNone(outage.authorization)
        self.assertTrue(outage.enabled)

    def test_unreadable_reply_is_an_outage(self) -> None:
        for message in (b"garbage", b'{"parameters":{"location":{"latitude":1e999}},"continues":true}', b'{"parameters":{"dropped":-1}}'):
            session = watch()
            call(session)
            (outage,) = session.receive(message, 0)
            assert isinstance(outage, Status)
            self.assertIn("cannot be read", outage.reason or "")
            self.assertIs(session.phase, Phase.OPENING)

    def test_last_reply_without_a_reason_is_an_outage(self) -> None:
        session = watch()
        call(session)
        updates = receive(session, last=True, location=location(1))
        self.assertEqual(sequences(updates), [1])
        self.assertFalse(updates[-1].connected)

    def test_busy_daemon_is_an_outage(self) -> None:
        for error in ("TooManyClients", "TooManyRequests"):
            session = watch()
            call(session)
            (outage,) = refuse(session, "org.locationd.location." + error, limit=3)
            self.assertIn("the limit is 3", outage.reason)
            self.assertIs(session.phase, Phase.OPENING)
            self.assertEqual(session.delay, 0.25)

    def test_stop_delivers_the_daemons_status_and_reconnects(self) -> None:
        session = watch()
        call(session)
        (stopping,) = receive(session, last=True, status=status(source="stopped", reason="stopping"))
        self.assertTrue(stopping.connected)
        self.assertEqual((session.phase, session.delay), (Phase.OPENING, 1.5))
        self.assertEqual(len(session.lose("Gone.")), 1)
        self.assertEqual(len(session.lose("Gone.")), 0)


class HostileTests(unittest.TestCase):
    def test_no_message_raises(self) -> None:
        valid = [
            json.dumps({"parameters": {"status": status(sources=[{"name": "a", "state": "lost"}])}, "continues": True}),
            json.dumps({"parameters": {"location": location(1, timestamp="2026-11-28T06:30:51.532Z"), "dropped": 1}, "continues": True}),
            json.dumps({"error": "org.locationd.location.TimedOut", "parameters": {"best": location(1)}}),
        ]
        tokens = [b"null", b"1e999", b"-1", b'"', b"{}", b"[]", b"NaN", b"true", b"\xff", b"\\ud800", b"9" * 5000, b"[" * 5000, b""]
        random = Random(42)
        for _ in range(5000):
            message = bytearray(random.choice(valid).encode())
            for _ in range(random.randint(1, 4)):
                start = random.randrange(len(message))
                message[start : start + random.randint(0, 12)] = random.choice(tokens)
            session = watch()
            call(session)
            for update in session.receive(bytes(message), 0):
                self.assertIsInstance(update, (Location, Status, Heading, Satellites))


class FixTests(unittest.TestCase):
    def test_no_fix_is_delivered_twice(self) -> None:
        session = watch()
        call(session)
        self.assertEqual(sequences(receive(session, status=status(), location=location(5))), [5])
        session.lose("Gone.")
        call(session)
        self.assertEqual(sequences(receive(session, status=status(), location=location(5))), [])
        self.assertEqual(sequences(receive(session, location=location(4))), [])
        self.assertEqual(sequences(receive(session, location=location(6))), [6])

    def test_numbers_that_begin_anew_are_delivered(self) -> None:
        session = watch()
        call(session)
        receive(session, location=location(500, 100))
        session.lose("Gone.")
        call(session)
        self.assertEqual(sequences(receive(session, location=location(1, 90))), [])
        self.assertEqual(sequences(receive(session, location=location(2, 101))), [2])
        self.assertEqual(sequences(receive(session, location=location(3, 102))), [3])

    def test_dropped_is_added_up_over_connections(self) -> None:
        session = watch()
        call(session)
        receive(session, location=location(5), dropped=2)
        session.lose("Gone.")
        call(session)
        receive(session, status=status(), dropped=3)
        self.assertEqual(session.dropped, 5)

    def test_status_comes_before_the_location_of_its_reply(self) -> None:
        session = watch()
        call(session)
        kinds = [type(update).__name__ for update in receive(session, location=location(5), status=status())]
        self.assertEqual(kinds, ["Status", "Location"])


class EndTests(unittest.TestCase):
    def test_maximum_updates_counts_over_outages(self) -> None:
        session = watch(maximumUpdates=3)
        self.assertEqual(call(session)["maximumUpdates"], 3)
        receive(session, status=status(), location=location(1))
        session.lose("Gone.")
        self.assertEqual(call(session)["maximumUpdates"], 2)
        receive(session, location=location(2))
        self.assertIs(session.phase, Phase.STREAMING)
        self.assertEqual(sequences(receive(session, last=True, location=location(3))), [3])
        self.assertIs(session.phase, Phase.ENDED)
        self.assertIsNone(session.failure)

    def test_location_that_the_daemon_counted_and_nobody_saw_is_asked_for_again(self) -> None:
        session = watch(maximumUpdates=2)
        call(session)
        receive(session, location=location(1))
        session.lose("Gone.")
        call(session)
        self.assertEqual(receive(session, last=True, location=location(1)), [])
        self.assertIs(session.phase, Phase.OPENING)
        self.assertEqual(call(session)["maximumUpdates"], 1)
        self.assertEqual(sequences(receive(session, last=True, location=location(2))), [2])
        self.assertIs(session.phase, Phase.ENDED)

    def test_daemon_that_sends_more_than_it_was_asked_for_is_not_heard(self) -> None:
        session = watch(maximumUpdates=1)
        call(session)
        receive(session, location=location(1))
        self.assertIs(session.phase, Phase.ENDED)

    def test_maximum_that_the_daemon_has_to_refuse_is_sent(self) -> None:
        session = watch(maximumUpdates=0)
        self.assertEqual(call(session)["maximumUpdates"], 0)
        receive(session, status=status())
        self.assertIs(session.phase, Phase.STREAMING)

    def test_duration_ends_it(self) -> None:
        session = watch(duration=3)
        call(session)
        self.assertEqual(len(receive(session, last=True, status=status(reason="duration"))), 1)
        self.assertIs(session.phase, Phase.ENDED)

    def test_final_error_ends_it(self) -> None:
        session = monitor(name="home")
        call(session)
        self.assertEqual(refuse(session, "org.locationd.location.NoSuchMonitor", name="home"), [])
        self.assertIs(session.phase, Phase.ENDED)
        assert isinstance(session.failure, NoSuchMonitor)
        self.assertEqual(session.failure.monitor, "home")


class CallTests(unittest.TestCase):
    def test_library_is_stated(self) -> None:
        for session in (watch(), monitor()):
            self.assertEqual(call(session), {"library": LIBRARY})
        self.assertLessEqual(len(LIBRARY.encode()), 64)

    def test_daemon_that_refuses_the_library_is_called_once_without(self) -> None:
        session = watch(purpose="tea")
        call(session)
        self.assertEqual(refuse(session, "org.varlink.service.InvalidParameter", parameter="library"), [])
        self.assertEqual((session.phase, session.delay), (Phase.OPENING, 0))
        self.assertEqual(call(session), {"purpose": "tea"})
        refuse(session, "org.varlink.service.InvalidParameter", parameter="library")
        self.assertIsInstance(session.failure, InvalidParameter)

    def test_named_monitor_is_loaded_after_an_outage(self) -> None:
        session = monitor(name="home", regions=[], visits=True, passive=True)
        session.lose("Gone.")
        self.assertIn("regions", call(session))
        receive(session, status=status())
        session.lose("Gone.")
        self.assertEqual(call(session), {"name": "home", "passive": True, "library": LIBRARY})

    def test_monitor_without_a_name_is_called_again_as_it_was(self) -> None:
        session = monitor(regions=[], visits=True)
        call(session)
        receive(session, status=status())
        session.lose("Gone.")
        self.assertEqual(call(session), {"regions": [], "visits": True, "library": LIBRARY})
