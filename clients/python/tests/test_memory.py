"""What a reply takes of memory, and the limits of lists."""

import itertools
import json
import tracemalloc
import unittest
from collections.abc import Callable
from typing import Any

from locationd import calls
from locationd.reading import read_status, read_watch_updates
from locationd.session import Phase, Session
from locationd.wire import MAXIMUM_MESSAGE, Fields, MessageBuffer, Unreadable, parse_reply

from .samples import status

MOST = 16_000_000
SATELLITE = {"gnss": "GPS", "id": 1, "used": True}
SOURCE = {"name": "a", "state": "lost"}

ELEMENTS: dict[str, Callable[[int], str]] = {
    "numbers": lambda _: "0",
    "objects": lambda _: "{}",
    "satellites": lambda _: json.dumps(SATELLITE),
    "objects in objects": lambda index: f'{{"{index:x}":{{"{index:x}k":0}}}}',
    "texts in objects": lambda index: f'{{"{index:x}":"{index:x}t"}}',
}


def large(begin: str, element: Callable[[int], str], end: str, most: float, rest: str = "x") -> bytes:
    """A message of 1 MiB: elements until they have so many values, and a text that begins with `rest` for the rest."""
    message, values = [f'{{"continues":true,"parameters":{{{begin}'.encode()], 0
    length, tail = len(message[0]), f'{end},"text":"{rest}'.encode()
    for index in itertools.count():
        text = element(index)
        values += sum(map(text.count, "{[,")) + 1
        length += len(text) + 1
        if values > most or length + len(tail) + 10 > MAXIMUM_MESSAGE:
            break
        message.append((text if index == 0 else "," + text).encode())
    message.append(tail)
    message.append(b"x" * (MAXIMUM_MESSAGE - sum(map(len, message)) - 3) + b'"}}')
    return b"".join(message)


def cost(message: bytes, read: Callable[[bytes], object]) -> int:
    """Bytes that reading a message takes at most, as it comes from the socket."""
    reads = [(message + b"\0")[start : start + 65536] for start in range(0, len(message) + 1, 65536)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        buffer = MessageBuffer()
        for part in reads:
            buffer.feed(part)
        read(buffer.next_message() or b"")
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


class MemoryTests(unittest.TestCase):
    def assert_cheap(self, message: bytes, is_read: bool, what: str) -> None:
        self.assertEqual(len(message), MAXIMUM_MESSAGE)
        session: Session[Any] = Session("a.B", {}, read_watch_updates)
        taken = cost(message, lambda received: session.receive(received, 0))
        self.assertEqual(session.phase is Phase.STREAMING, is_read, what)
        self.assertLess(taken, MOST, what)

    def test_a_reply_takes_16_megabytes_at_most(self) -> None:
        sources = f'"status":{json.dumps(status())[:-1]},"sources":['
        for name, element in ELEMENTS.items():
            self.assert_cheap(large('"satellites":[', element, "]", float("inf")), False, name)
            self.assert_cheap(large(sources, element, "]}", float("inf")), False, name)
            # As many as are read of what this version does not know, beside narrow characters and wide ones.
            self.assert_cheap(large('"later":[', element, "]", 67_000), True, name)
            self.assert_cheap(large('"later":[', element, "]", 34_000, "\U0001f6f0"), True, name)

    def test_values_have_a_limit(self) -> None:
        def reply(number: int) -> bytes:
            return b'{"parameters":{"later":[0' + b",0" * (number - 3) + b"]}}"

        # 192 bytes for each value, and two for each character.
        most = next(number for number in itertools.count(70_000) if 192 * (number + 1) + 2 * len(reply(number + 1)) > 15_000_000)
        parse_reply(reply(most))
        with self.assertRaisesRegex(Unreadable, "too many values"):
            parse_reply(reply(most + 1))

    def test_the_longest_list_of_monitors_is_read(self) -> None:
        corner = '{"latitude":52.5170001,"longitude":13.3888901}'
        begin = '"monitors":[{"name":"fields","active":false,"visits":false,"reports":[],"regions":[{"identifier":"a","polygon":['
        message = large(begin, lambda _: corner, "]}]}]", float("inf"))
        read: list[Any] = []
        taken = cost(message, lambda received: read.extend(calls.list_monitors().answer("/nowhere", received)))
        self.assertGreater(len(read[0][0].regions[0].polygon), 22_000)
        self.assertLess(taken, MOST)

    def test_lists_have_a_limit(self) -> None:
        def satellites(number: int) -> int:
            (update,) = read_watch_updates(Fields({"satellites": [SATELLITE] * number}, "reply"), 0)
            return len(list(update))  # type: ignore[arg-type]

        self.assertEqual(satellites(1024), 1024)
        with self.assertRaisesRegex(Unreadable, "satellites of reply has too many elements"):
            satellites(1025)
        for name in ("sources", "compasses"):
            read = read_status(Fields(status(**{name: [SOURCE] * 256}), "status"))
            self.assertEqual(len(getattr(read, name)), 256)
            with self.assertRaisesRegex(Unreadable, f"{name} of status has too many elements"):
                read_status(Fields(status(**{name: [SOURCE] * 257}), "status"))
