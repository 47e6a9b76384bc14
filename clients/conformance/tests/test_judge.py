"""Plants wrong behaviour in a client and checks that the scenarios find it: a check that cannot fail is worth nothing.

    python3 -m unittest discover -s clients/conformance/tests
"""

from __future__ import annotations

import json
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from conform import Programs, run_scenario  # noqa: E402
from judge import HopelessCheck, Measured, difference, events_difference, failures, rising_failures  # noqa: E402

SCENARIOS = {scenario["name"]: scenario for scenario in json.loads((HERE.parent / "scenarios.json").read_text())["scenarios"]}

#: What is planted, and the scenarios that find it.
FAULTS = {
    "age": "age",
    "age-later": "age batches",
    "all-outages": "silent-later",
    "crash": "garbage deep-nesting get-garbage",
    "denial-is-error": "authorize-denied",
    "dropped": "dropped dropped-restart",
    "each-attempt": "one-outage long-outage regions-outage",
    "eager": "slow-reader",
    "escape": "text",
    "final": "too-many-clients too-many-requests",
    "float-sequence": "large-numbers",
    "hasty": "silent get-silent status-silent",
    "impatient": "authorize",
    "infinity": "infinite-number get-garbage",
    "large": "large-message",
    "less": "stream reduced headings satellites regions regions-later monitors get",
    "library": "library regions-removed",
    "long-lists": "long-lists",
    "many-values": "long-lists",
    "maximum": "maximum-updates",
    "missing": "missing-field",
    "nan": "nan",
    "no-reconnect": "half-message absent-socket regions-restart garbage",
    "no-sentence": "get-not-authorized get-disabled get-unavailable get-timed-out remove-monitor "
                   "unknown-error watch-refused get-absent get-refused get-cut",
    "null": "absent-fields",
    "numbers": "numbers-anew",
    "one-read": "one-write",
    "options": "change-regions duration batches",
    "range": "out-of-range",
    "retry-final": "watch-refused regions-removed",
    "skip-garbage": "garbage no-object invalid-utf-8 nan",
    "stop-decides": "authorize-cut authorize-stopping",
    "stop-ends": "stopping",
    "swallow-status": "status deny-in-flight",
    "twice": "restart older-fix",
    "types": "wrong-type",
    "unknown-fields": "unknown-fields",
    "unknown-objects": "unknown-objects",
    "unknown-values": "unknown-values regions-later",
    "utf-8": "invalid-utf-8",
    "whole-reads": "single-bytes",
    "zero": "absent-fields",
}
#: Those that take longest, which begin first.
ENDLESS = {"hang": "silent get-silent status-silent", "busy": "back-off", "steady": "back-off"}


def run(fault: str, name: str) -> list[str]:
    # What never comes need not be waited for as long as for a client on a busy machine.
    scenario = SCENARIOS[name] | {"seconds": SCENARIOS[name].get("lasts", 0) + 15}
    command = f"env FAULT={fault} {sys.executable} {HERE / 'reference_driver.py'}"
    return run_scenario(scenario, "reference", command, Programs(None, None)).failures


class FaultTests(unittest.TestCase):
    """Each planted fault is found by each of its scenarios, and each scenario finds a fault."""

    def test_faults_are_found(self) -> None:
        pairs = [(fault, name) for fault, names in (ENDLESS | FAULTS).items() for name in names.split()]
        with ThreadPoolExecutor(8) as pool:
            for pair, found in zip(pairs, pool.map(lambda pair: run(*pair), pairs), strict=True):
                with self.subTest(fault=pair[0], scenario=pair[1]):
                    self.assertTrue(found, "the fault was not found")

    def test_nothing_is_found_without_a_fault(self) -> None:
        names = [name for name, scenario in SCENARIOS.items() if scenario["daemon"] == "scripted"]
        with ThreadPoolExecutor(8) as pool:
            for name, found in zip(names, pool.map(lambda name: run("", name), names), strict=True):
                with self.subTest(scenario=name):
                    self.assertEqual(found, [])

    def test_every_scripted_scenario_finds_a_fault(self) -> None:
        covered = {name for names in (FAULTS | ENDLESS).values() for name in names.split()}
        scripted = {name for name, scenario in SCENARIOS.items() if scenario["daemon"] == "scripted"}
        self.assertEqual(scripted - covered, set())


class JudgeTests(unittest.TestCase):
    """The comparison itself."""

    def test_absent_is_neither_null_nor_zero(self) -> None:
        self.assertIsNone(difference({"a": {"$absent": True}}, {}))
        for value in (None, 0, ""):
            self.assertIsNotNone(difference({"a": {"$absent": True}}, {"a": value}))

    def test_unknown_may_be_absent(self) -> None:
        self.assertIsNone(difference({"a": {"$unknown": True}}, {}))
        self.assertIsNone(difference({"a": {"$unknown": True}}, {"a": "unknown"}))
        self.assertIsNotNone(difference({"a": {"$unknown": True}}, {"a": "laser"}))
        self.assertIsNotNone(difference({"a": {"$unknown": True}}, {"a": None}))

    def test_numbers_are_no_truths_and_integers_are_exact(self) -> None:
        self.assertIsNotNone(difference({"a": 1}, {"a": True}))
        self.assertIsNotNone(difference({"a": True}, {"a": 1}))
        self.assertIsNotNone(difference({"a": 2**53 + 1}, {"a": 2**53}))
        self.assertIsNone(difference({"a": 1}, {"a": 1.0}))

    def test_bounds_hold_together(self) -> None:
        for age, holds in ((1, True), (0, False), (5, False), (None, False)):
            self.assertEqual(difference({"age": {"$atLeast": 1, "$below": 5}}, {"age": age}) is None, holds)

    def test_first_event(self) -> None:
        for first, holds in ((9.5, True), (8.5, False), (None, False)):
            found = failures({"events": [], "firstEventAfter": 9}, [], [], Measured(first_event=first))
            self.assertEqual(not found, holds)

    def test_attempts(self) -> None:
        expect = {"events": [], "attempts": {"number": {"$below": 5}, "longestPause": {"$atLeast": 3}}}
        for times, holds in (([0, 1, 4], True), ([0, 1, 2], False), ([0, 1, 2, 3, 9], False), ([0], False), ([], False)):
            self.assertEqual(not failures(expect, [], [], Measured(attempts=times)), holds)

    def test_only_what_is_named(self) -> None:
        self.assertIsNone(difference({"a": 1, "$only": ["b"]}, {"a": 1, "b": 2}))
        self.assertIsNotNone(difference({"a": 1, "$only": ["b"]}, {"a": 1, "c": 2}))

    def test_optional_and_many(self) -> None:
        expected = [{"event": "status", "$many": True}, {"event": "location"}, {"event": "x", "$optional": True}, {"event": "end"}]
        for kinds in (["location", "end"], ["status", "status", "location", "x", "end"]):
            self.assertIsNone(events_difference(expected, [{"event": kind} for kind in kinds]))
        for kinds in (["status", "end"], ["location", "location", "end"], ["location", "end", "end"], ["location"]):
            self.assertIsNotNone(events_difference(expected, [{"event": kind} for kind in kinds]))

    def test_hopeless(self) -> None:
        expect = {"alternatives": [[{"event": "a"}, {"event": "b"}], [{"event": "c"}]]}
        for kinds, is_hopeless in (([], False), (["a"], False), (["b"], True), (["c"], False), (["c", "c"], True)):
            self.assertEqual(HopelessCheck(expect)([{"event": kind} for kind in kinds]), is_hopeless)

    def test_rising(self) -> None:
        self.assertEqual(rising_failures([{"event": "location", "sequence": number} for number in (1, 2, 9)]), [])
        self.assertTrue(rising_failures([{"event": "location", "sequence": number} for number in (1, 1)]))


if __name__ == "__main__":
    unittest.main()
