"""The framing of Varlink, and values taken from JSON with every check. Pure: no I/O."""

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from itertools import chain
from typing import NoReturn, TypeVar

MAXIMUM_MESSAGE = 1 << 20
"""Bytes of the longest message that is read."""

MAXIMUM_MEMORY = 15_000_000
"""Bytes that the text and the values of a message may take, by `_memory`. The longest list of monitors takes as much."""

_MEMORY_OF_VALUE = 192
"""Bytes that a value of JSON takes at most: measured with objects in objects, each with a key of its own."""

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")


class Unreadable(Exception):
    """A reply that does not conform to the protocol or the interface; the text says where."""


class MessageBuffer:
    """Cuts a stream of bytes into messages, wherever the reads end."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> None:
        """Appends what was read."""
        self._bytes += data

    def read(self, receive: Callable[[int], bytes], size: int) -> bool:
        """Appends what a read of so many bytes gives; the result is whether that was anything.

        In one step of the interpreter: what has been read is kept, whenever a signal handler raises an exception.
        """
        before = len(self._bytes)
        self._bytes.extend(chain.from_iterable(map(receive, (size,))))
        return len(self._bytes) > before

    def next_message(self) -> bytes | None:
        """The next message without its NUL, `None` if it is not complete. Raises `Unreadable` if it is too long."""
        end = self._bytes.find(0, self._searched)
        if (len(self._bytes) if end < 0 else end) > MAXIMUM_MESSAGE:
            raise Unreadable("a message is longer than 1 MiB")
        if end < 0:
            self._searched = len(self._bytes)
            return None
        message = bytes(self._bytes[:end])
        # First this: between the two an exception of a signal handler leaves the message, to be found again.
        self._searched = 0
        del self._bytes[: end + 1]
        return message


@dataclasses.dataclass(frozen=True, slots=True)
class Reply:
    """A reply: the parameters of the method, or of the error that is named."""

    parameters: "Fields"
    continues: bool
    error: str | None


def parse_reply(message: bytes) -> Reply:
    """Reads a message. Raises `Unreadable`."""
    if _memory(message) > MAXIMUM_MEMORY:
        raise Unreadable("a message has too many values")
    try:
        # Decoded here, because json.loads would guess UTF-16 from the bytes.
        value: object = json.loads(message.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable("a message is no JSON in UTF-8") from error
    reply = Fields(value, "the reply")
    return Reply(
        parameters=reply.object_or_none("parameters", lambda fields: fields) or Fields({}, "the parameters"),
        continues=reply.boolean_or_none("continues") or False,
        error=reply.text_or_none("error"),
    )


def _memory(message: bytes) -> int:
    """What decoding a message takes at most, found before it is decoded.

    Its text is there twice, as a whole and in the values, with up to four bytes a character. A value is the first of an
    object or array, or stands after a comma; commas in texts are counted too, which refuses none that a daemon sends.
    """
    text = 2 * len(message) * (1 if message.isascii() else 4)
    return text + _MEMORY_OF_VALUE * sum(map(message.count, b"{[,"))


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


class Fields:
    """The fields of a JSON object. Absent and null are the same; unknown fields are ignored.

    Each method takes the field's name in the interface. Those with `_or_none` are for optional fields. All raise
    `Unreadable` for a value of the wrong type or out of its range, and the others for an absent one too.
    """

    __slots__ = ("_values", "_what")

    def __init__(self, value: object, what: str) -> None:
        if not isinstance(value, dict):
            raise Unreadable(f"{what} is no object")
        self._values: dict[str, object] = value
        self._what = what

    def _fail(self, name: str, problem: str) -> NoReturn:
        raise Unreadable(f"{name} of {self._what} {problem}")

    def _required(self, name: str, value: T | None) -> T:
        if value is None:
            self._fail(name, "is absent")
        return value

    def number_or_none(
        self, name: str, lowest: float = -math.inf, highest: float = math.inf, below: float = math.inf
    ) -> float | None:
        """A finite number from `lowest` to `highest` that is less than `below`."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._fail(name, "is no number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self._fail(name, "is not finite")
        if not (lowest <= number <= highest and number < below):
            self._fail(name, "is out of its range")
        return number

    def number(self, name: str, lowest: float = -math.inf, highest: float = math.inf, below: float = math.inf) -> float:
        return self._required(name, self.number_or_none(name, lowest, highest, below))

    def integer_or_none(self, name: str, lowest: int = -(1 << 63), highest: int = (1 << 63) - 1) -> int | None:
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self._fail(name, "is no integer")
        if not lowest <= value <= highest:
            self._fail(name, "is out of its range")
        return value

    def integer(self, name: str, lowest: int = -(1 << 63), highest: int = (1 << 63) - 1) -> int:
        return self._required(name, self.integer_or_none(name, lowest, highest))

    def boolean_or_none(self, name: str) -> bool | None:
        value = self._values.get(name)
        if value is not None and not isinstance(value, bool):
            self._fail(name, "is no boolean")
        return value

    def boolean(self, name: str) -> bool:
        return self._required(name, self.boolean_or_none(name))

    def text_or_none(self, name: str) -> str | None:
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self._fail(name, "is no string")
        try:
            # Half a surrogate pair, which JSON's escapes can express, fails wherever the program writes the text.
            value.encode("utf-8")
        except UnicodeEncodeError:
            self._fail(name, "is no Unicode text")
        return value

    def text(self, name: str) -> str:
        return self._required(name, self.text_or_none(name))

    def time_or_none(self, name: str) -> datetime | None:
        """A time in UTC."""
        text = self.text_or_none(name)
        if text is None:
            return None
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            self._fail(name, "is no time")
        if value.utcoffset() != timedelta(0):
            self._fail(name, "is no time in UTC")
        return value

    def time(self, name: str) -> datetime:
        return self._required(name, self.time_or_none(name))

    def choice_or_none(self, name: str, choices: type[E]) -> E | None:
        """A member of an enumeration; `None` for one that this version does not know."""
        text = self.text_or_none(name)
        try:
            return None if text is None else choices(text)
        except ValueError:
            return None

    def choice(self, name: str, choices: type[E]) -> E | None:
        """The same for a required field: it raises if the field is absent, and is `None` for an unknown member."""
        self._required(name, self._values.get(name))
        return self.choice_or_none(name, choices)

    def object_or_none(self, name: str, read: Callable[["Fields"], T]) -> T | None:
        value = self._values.get(name)
        return None if value is None else read(Fields(value, name))

    def object(self, name: str, read: Callable[["Fields"], T]) -> T:
        return self._required(name, self.object_or_none(name, read))

    def objects_or_none(self, name: str, read: Callable[["Fields"], T], limit: int | None = None) -> tuple[T, ...] | None:
        """At most `limit` objects."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            self._fail(name, "is no array")
        if limit is not None and len(value) > limit:
            self._fail(name, "has too many elements")
        return tuple(read(Fields(element, name)) for element in value)

    def objects(self, name: str, read: Callable[["Fields"], T]) -> tuple[T, ...]:
        return self._required(name, self.objects_or_none(name, read))

    def array_or_none(self, name: str, read: Callable[["Fields", str], T]) -> tuple[T, ...] | None:
        """The elements; `read` takes each by its key of the fields that it is given."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            self._fail(name, "is no array")
        keys = [str(index) for index in range(len(value))]
        elements = Fields(dict(zip(keys, value, strict=True)), name)
        return tuple(read(elements, key) for key in keys)

    def array(self, name: str, read: Callable[["Fields", str], T]) -> tuple[T, ...]:
        return self._required(name, self.array_or_none(name, read))

    def dictionary_or_none(self, name: str, read: Callable[["Fields", str], T]) -> dict[str, T] | None:
        """The values by their keys, read likewise."""
        return self.object_or_none(name, lambda values: {key: read(values, key) for key in values._values})

    def dictionary(self, name: str, read: Callable[["Fields", str], T]) -> dict[str, T]:
        return self._required(name, self.dictionary_or_none(name, read))


def encode_call(method: str, parameters: Mapping[str, object], more: bool) -> bytes:
    """The message of a call."""
    call: dict[str, object] = {"method": method, "parameters": parameters}
    if more:
        call["more"] = True
    return json.dumps(call, allow_nan=False).encode() + b"\0"


def camel_case(name: str) -> str:
    """The interface's spelling of a name."""
    return re.sub("_([a-z0-9])", lambda match: match[1].upper(), name)


def snake_case(name: str) -> str:
    """This package's spelling of a name of the interface."""
    return re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name)


def encode_options(options: Mapping[str, object]) -> dict[str, object]:
    """The parameters of a call, without options that are `None`. Raises `ValueError` for numbers that JSON or 64 bits cannot have."""
    return {camel_case(name): encode_value(name, value) for name, value in options.items() if value is not None}


def encode_value(name: str, value: object) -> object:
    """A value in JSON's types. `name` is what an error calls it."""
    match value:
        case Enum():
            return value.value
        case float() if not math.isfinite(value):
            raise ValueError(f"{name} has to be a finite number, not {value}")
        case bool() | float() | str():
            return value
        case int():
            if not -(1 << 63) <= value < 1 << 63:
                raise ValueError(f"{name} has more than 64 bits")
            return value
        case datetime():
            return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case Mapping():
            return {key: encode_value(name, element) for key, element in value.items()}
        case Sequence():
            return [encode_value(name, element) for element in value]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return encode_options(fields)
        case _:
            raise TypeError(f"{name} cannot be a {type(value).__name__}")
