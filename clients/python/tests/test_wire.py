"""Framing, and the checks of values."""

import json
import math
import unittest
from datetime import UTC, datetime
from typing import Any

from locationd import Coordinate, Mode, Region, SignificantChange
from locationd.reading import read_location, read_status, read_watch_updates
from locationd.wire import MAXIMUM_MESSAGE, Fields, MessageBuffer, Unreadable, encode_call, encode_options, parse_reply

from .samples import location, status


def messages(*reads: bytes) -> list[bytes]:
    buffer = MessageBuffer()
    found = []
    for read in reads:
        buffer.feed(read)
        while (message := buffer.next_message()) is not None:
            found.append(message)
    return found


class FramingTests(unittest.TestCase):
    def test_messages_end_with_nul_wherever_reads_end(self) -> None:
        self.assertEqual(messages(b"one\0two\0thr", b"ee\0"), [b"one", b"two", b"three"])
        self.assertEqual(messages(*(bytes([byte]) for byte in b"one\0two\0")), [b"one", b"two"])
        self.assertEqual(messages(b"half"), [])

    def test_a_message_of_one_mebibyte_is_read_and_a_longer_one_is_not(self) -> None:
        longest = b"x" * MAXIMUM_MESSAGE
        self.assertEqual(messages(longest, b"\0"), [longest])
        with self.assertRaises(Unreadable):
            messages(longest + b"x")
        with self.assertRaises(Unreadable):
            messages(longest + b"x\0")

    def test_call_has_exact_bytes(self) -> None:
        self.assertEqual(encode_call("a.B", {}, False), b'{"method": "a.B", "parameters": {}}\0')
        self.assertEqual(encode_call("a.B", {"c": 1}, True), b'{"method": "a.B", "parameters": {"c": 1}, "more": true}\0')


class ReplyTests(unittest.TestCase):
    def test_garbage_is_unreadable(self) -> None:
        for message in (
            b"",
            b"hello",
            b"[]",
            b"null",
            b"1",
            b'{"parameters": []}',
            b'{"continues": 1}',
            b'{"error": 1}',
            b'{"parameters": {"a": NaN}}',
            b'{"parameters": {"a": Infinity}}',
            b'{"parameters": {}} {}',
            b'{"parameters": {"a": "\xff"}}',
            b'\xef\xbb\xbf{"parameters": {}}',
            '{"parameters": {}}'.encode("utf-16"),
            b"[" * 100_000,
            b'{"parameters": ' * 100_000,
            b'{"parameters": {"a": ' + b"9" * 5000 + b"}}",
        ):
            with self.subTest(message[:40]), self.assertRaises(Unreadable):
                parse_reply(message)

    def test_absent_parts_have_defaults(self) -> None:
        reply = parse_reply(b"{}")
        self.assertFalse(reply.continues)
        self.assertIsNone(reply.error)
        reply = parse_reply(b'{"parameters": null, "continues": null, "error": null, "later": 1}')
        self.assertFalse(reply.continues)


class ValueTests(unittest.TestCase):
    def read(self, fields: dict[str, Any]) -> Any:
        return read_location(Fields(json.loads(json.dumps(fields)), "location"))

    def test_location_is_read(self) -> None:
        value = self.read(location(7, timestamp="2026-11-28T06:30:51.532Z", horizontalAccuracy=3, satellitesUsed=9, later=[1]))
        self.assertEqual((value.latitude, value.sequence, value.mode), (52.5, 7, Mode.THREE_DIMENSIONAL))
        self.assertEqual(value.timestamp, datetime(2026, 11, 28, 6, 30, 51, 532000, UTC))
        self.assertIsInstance(value.horizontal_accuracy, float)
        self.assertIsNone(value.altitude)

    def test_unknown_values_of_enumerations_are_none(self) -> None:
        value = self.read(location(mode="fourDimensional", augmentation="psychic"))
        self.assertIsNone(value.mode)
        self.assertIsNone(value.augmentation)
        self.assertIsNone(read_status(Fields(status(source="dreaming"), "status")).source)

    def test_null_is_absent(self) -> None:
        self.assertIsNone(self.read(location(speed=None)).speed)
        with self.assertRaises(Unreadable):
            self.read(location(latitude=None))

    def test_values_out_of_range_or_of_the_wrong_type_are_unreadable(self) -> None:
        wrong: tuple[dict[str, Any], ...] = (
            {"latitude": 90.001},
            {"latitude": "52"},
            {"latitude": True},
            {"longitude": -180.5},
            {"speed": -0.1},
            {"course": 360},
            {"course": -1},
            {"horizontalAccuracy": -1},
            {"jamming": 256},
            {"satellitesUsed": 1.5},
            {"satellitesUsed": True},
            {"sequence": "1"},
            {"sequence": 1 << 63},
            {"mode": 3},
            {"mode": None},
            {"antenna": 3},
            {"timestamp": "yesterday"},
            {"timestamp": "2026-11-28T06:30:51"},
            {"timestamp": 5},
            {"source": None},
            {"source": []},
            {"errorEllipse": {}},
            {"monotonicTime": None},
            {"age": None},
            {"timestampImplausible": 1},
        )
        for fields in wrong:
            with self.subTest(fields), self.assertRaises(Unreadable):
                self.read(location() | fields)

    def test_numbers_that_are_not_finite_are_unreadable(self) -> None:
        for literal in ("1e999", "-1e999", "1" + "0" * 400):
            reply = parse_reply(json.dumps({"parameters": {"location": location(altitude=123456)}}).replace("123456", literal).encode())
            with self.subTest(literal[:9]), self.assertRaises(Unreadable):
                read_watch_updates(reply.parameters, 0)

    def test_half_a_surrogate_pair_is_no_text(self) -> None:
        reply = parse_reply(b'{"parameters": {"reason": "\\ud800"}}')
        with self.assertRaises(Unreadable):
            reply.parameters.text("reason")

    def test_reply_with_nothing_that_is_known_has_no_updates(self) -> None:
        self.assertEqual(read_watch_updates(Fields({"weather": {}}, "reply"), 0), [])


class OptionTests(unittest.TestCase):
    def test_options_have_the_names_of_the_interface(self) -> None:
        region = Region("home", center=Coordinate(52.5, 13.4), radius=100)
        options = dict(
            distance_filter=5, name=None, regions=[region], significant_change=SignificantChange(distance=500), level=Mode.TWO_DIMENSIONAL
        )
        self.assertEqual(
            encode_options(options),
            {
                "distanceFilter": 5,
                "regions": [{"identifier": "home", "center": {"latitude": 52.5, "longitude": 13.4}, "radius": 100}],
                "significantChange": {"distance": 500},
                "level": "twoDimensional",
            },
        )

    def test_integers_beyond_64_bits_are_refused_by_name(self) -> None:
        for number in ((1 << 63) - 1, -(1 << 63)):
            self.assertEqual(encode_options({"interval": number}), {"interval": number})
        for number in (1 << 63, -(1 << 63) - 1, 10**5000):
            with self.assertRaisesRegex(ValueError, "interval has more than 64 bits"):
                encode_options({"interval": number})

    def test_numbers_that_are_not_finite_are_refused_by_name(self) -> None:
        for value in (math.nan, math.inf, -math.inf):
            with self.assertRaisesRegex(ValueError, "^distance_filter "):
                encode_options({"distance_filter": value})
            with self.assertRaisesRegex(ValueError, "^latitude "):
                encode_options({"regions": [Region("home", center=Coordinate(value, 13.4), radius=100)]})
        with self.assertRaises(TypeError):
            encode_options({"purpose": object()})
