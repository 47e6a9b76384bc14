"""Compares what a client reported with what a scenario expects; pure, so that it is tested by itself.

An expected object holds if the actual one has at least its members. A member may also be one of these:

- `{"$absent": true}`: it is not there, and not null either;
- `{"$unknown": true}`: absent, or the word `unknown`, as for an enumeration's value of a later version;
- `{"$text": true}`: a text that is not empty; `{"$contains": "words"}`: a text with these words;
- `{"$matches": "expression"}`: a text that the regular expression matches as a whole;
- `{"$atLeast": n}`, `{"$below": n}`: a number;
- `{"$oneOf": [...]}`: any of these.

Several of them in one object hold together: `{"$atLeast": 1, "$below": 5}`.

`"$only": [...]` in an expected object allows no other members than these and those that it names. An expected event with
`"$optional": true` may be missing; one with `"$many": true` may come any number of times, also never.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MARKS = {"$optional", "$many", "$only"}


def difference(expected: Any, actual: Any, place: str = "") -> str | None:
    """Where the two differ, in words; `None` if the expectation holds."""
    if isinstance(expected, dict):
        if expected and all(name.startswith("$") and name not in MARKS for name in expected):
            found = (special_difference(name, value, actual, place) for name, value in expected.items())
            return next((text for text in found if text), None)
        if not isinstance(actual, dict):
            return f"{place or 'it'} is {shown(actual)}, not an object"
        for name, value in expected.items():
            if name in MARKS:
                continue
            inner = f"{place}.{name}" if place else name
            if found := difference(value, actual.get(name, Missing), inner):
                return found
        if "$only" in expected:
            others = sorted(set(actual) - set(expected) - set(expected["$only"]))
            if others:
                return f"{place or 'it'} has {', '.join(others)} too"
        return None
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{place} is {shown(actual)}, not {shown(expected)}"
        found = (difference(*pair, f"{place}[{index}]") for index, pair in enumerate(zip(expected, actual, strict=True)))
        return next((text for text in found if text), None)
    return None if equal(expected, actual) else f"{place} is {shown(actual)}, not {shown(expected)}"


class Missing:
    """Stands for a member that is not there."""


def special_difference(name: str, value: Any, actual: Any, place: str) -> str | None:
    """The difference from one of the special expectations above."""
    match name:
        case "$absent":
            holds, wish = actual is Missing, "absent"
        case "$unknown":
            holds, wish = actual is Missing or actual == "unknown", "absent or unknown"
        case "$text":
            holds, wish = isinstance(actual, str) and bool(actual.strip()), "a text"
        case "$contains":
            holds, wish = isinstance(actual, str) and value in actual, f"a text with {value!r}"
        case "$matches":
            holds, wish = isinstance(actual, str) and bool(re.fullmatch(value, actual)), f"a text like {value}"
        case "$atLeast":
            holds, wish = is_number(actual) and actual >= value, f"at least {value}"
        case "$below":
            holds, wish = is_number(actual) and actual < value, f"below {value}"
        case "$oneOf":
            holds, wish = any(difference(item, actual) is None for item in value), f"one of {shown(value)}"
        case _:
            raise ValueError(f"{name} is no expectation")
    return None if holds else f"{place} is {shown(actual)}, not {wish}"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(expected: Any, actual: Any) -> bool:
    """Equality of JSON values; integers are exact, fractions have the precision of decimal output."""
    if is_number(expected) and is_number(actual):
        if isinstance(expected, int) and isinstance(actual, int):
            return expected == actual
        return math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-12)
    return type(expected) is type(actual) and expected == actual


def shown(value: Any) -> str:
    if value is Missing:
        return "absent"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else text[:400] + "…"


class EventMatcher:
    """Compares events, as they come, with a list of expected ones; the list is a pattern with optional and repeated parts."""

    def __init__(self, expected: list[dict[str, Any]]) -> None:
        self._expected = expected
        self._count = 0
        #: The indices of the expected events of which one may come next.
        self._positions = self._reachable({0})
        #: Why the events cannot be what is expected; `None` as long as they can.
        self.difference: str | None = None

    def _reachable(self, positions: set[int]) -> set[int]:
        reachable = set(positions)
        for position, event in enumerate(self._expected):
            if position in reachable and (event.get("$many") or event.get("$optional")):
                reachable.add(position + 1)
        return reachable

    def feed(self, event: dict[str, Any]) -> None:
        """Takes the next event."""
        self._count += 1
        if self.difference:
            return
        following, text = set(), f"event {self._count} is {shown(event)}; expected no further one"
        for position in sorted(self._positions - {len(self._expected)}):
            wanted = self._expected[position]
            if found := difference(wanted, event):
                text = f"event {self._count}: {found}; expected {shown(wanted)}, got {shown(event)}"
            else:
                following.add(position if wanted.get("$many") else position + 1)
        self._positions = self._reachable(following)
        if not following:
            self.difference = text

    def finish(self) -> None:
        """No further event comes."""
        if not self.difference and len(self._expected) not in self._positions:
            self.difference = f"event {self._count + 1} is missing; expected {shown(self._expected[max(self._positions)])}"


def events_difference(expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> str | None:
    """The first event that is not as expected, in words."""
    matcher = EventMatcher(expected)
    for event in actual:
        matcher.feed(event)
    matcher.finish()
    return matcher.difference


def alternatives(expect: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The lists of events of which one is expected."""
    return expect.get("alternatives") or [expect["events"]]


class HopelessCheck:
    """Whether no further event can make this what is expected, so that there is no need to wait for one."""

    def __init__(self, expect: dict[str, Any]) -> None:
        self._matchers = [EventMatcher(expected) for expected in alternatives(expect)]
        self._count = 0

    def __call__(self, events: list[dict[str, Any]]) -> bool:
        """To be called with a list that only grows."""
        for event in events[self._count:]:
            self._count += 1
            for matcher in self._matchers:
                matcher.feed(event)
        return all(matcher.difference for matcher in self._matchers)


@dataclass(frozen=True)
class Measured:
    """What was measured beside events and calls."""

    #: Kibibytes by which the driver's memory grew while it did not read, or by what it read; `None` if that was not measured.
    growth: int | None = None
    #: Seconds from the driver's start to its first event; `None` without one.
    first_event: float | None = None
    #: When the daemon was connected to while it refused.
    attempts: Sequence[float] = ()


def failures(expect: dict[str, Any], events: list[dict[str, Any]], calls: list[dict[str, Any]],
             measured: Measured) -> list[str]:
    """Every expectation of a scenario that does not hold, each as a sentence."""
    found = []
    texts = [events_difference(alternative, events) for alternative in alternatives(expect)]
    if all(texts):
        found.append(" — or else: ".join(text for text in texts if text))
    for method, wanted in expect.get("calls", {}).items():
        got = [call for call in calls if call["method"] == method]
        if isinstance(wanted, int):
            if len(got) != wanted:
                found.append(f"{method} was called {len(got)} times, not {wanted}")
            continue
        for index, call in enumerate(wanted):
            actual = got[index] if index < len(got) else None
            text = difference(call, actual, f"call {index + 1} of {method}") if actual else (
                f"call {index + 1} of {method} is missing")
            if text:
                found.append(text)
    if expect.get("rising"):
        found += rising_failures(events)
    growth, first = measured.growth, measured.first_event
    if "memoryBelow" in expect and (growth is None or growth > expect["memoryBelow"]):
        found.append(f"memory grew by {growth} KiB; expected less than {expect['memoryBelow']}")
    # From the driver's start: on a machine with other work it is longer, never shorter, than the client has waited.
    if "firstEventAfter" in expect and (first is None or first < expect["firstEventAfter"]):
        came = "did not come" if first is None else f"came after {first:.2f} s"
        found.append(f"the first event {came}; expected it after {expect['firstEventAfter']} s")
    if "attempts" in expect and (text := difference(expect["attempts"], attempts_summary(measured.attempts), "attempts")):
        found.append(text)
    return found


def attempts_summary(times: Sequence[float]) -> dict[str, Any]:
    """Of attempts to connect: their number, and the longest pause between two, seconds."""
    pauses = [later - former for former, later in zip(times, times[1:], strict=False)]
    return {"number": len(times)} | ({"longestPause": max(pauses)} if pauses else {})


def rising_failures(events: list[dict[str, Any]]) -> list[str]:
    """Whether the sequence of the locations rises strictly."""
    numbers = [event.get("sequence") for event in events if event.get("event") == "location"]
    for former, number in zip(numbers, numbers[1:], strict=False):
        if not (is_number(former) and is_number(number) and former < number):
            return [f"the sequence does not rise: {former}, then {number}"]
    return []
