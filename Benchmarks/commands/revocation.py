#!/usr/bin/env python3
"""How soon a denial reaches live watches: from before the administrator's call until each client has read it.

Exits with 1 if it takes too long, if a location follows a denial, or if it affects anyone else's watch. Needs root.
"""

import json
import random
import time

import import_path  # Makes the packages below importable.
from library import harness
from library.client import WATCH
from library.daemon import Administrator, Daemon
from library.readers import Readers

FIRST_UID = 61_000
RATE = 10
# Watches and users; the authorization of the first user is changed.
SCENARIOS = [(1000, 1), (1000, 50)]
CONFIGURATION = f"""clients-per-user = 2000
requests-per-second = 10000.0
[[sources]]
kind = "simulator"
rate = {RATE}.0
"""


class Scenario:
    """A daemon and its watches, of which those of the first user are to be denied."""

    def __init__(self, options, watches, users):
        directory = harness.temporary_directory()
        self.daemon = Daemon(options.daemon, None, directory, configuration=CONFIGURATION)
        self.administrator = Administrator(self.daemon)
        for uid in range(FIRST_UID, FIRST_UID + users):
            self.administrator.set_authorization(uid, "authorizedAlways")
        (directory / "request").write_bytes(WATCH)
        self.readers = Readers(
            harness.compile_program("readers", directory), self.daemon.path, watches, directory / "request", FIRST_UID,
            users)
        self.watches, self.affected = watches, len(range(0, watches, users))
        self.readers.wait_until_answered(watches)

    def wait_for(self, condition, timeout=10):
        """The authorizations that the clients have read, once the condition holds for them."""
        end = time.monotonic() + timeout
        while not condition(state := self.readers.authorizations()):
            if time.monotonic() > end:
                raise TimeoutError(f"{len(state['denied'])} denied, {state['served']} served, {state['leaked']} leaked")
            time.sleep(0.02)
        return state

    def wait_until_served(self):
        """Waits until each watch has read a location since it was authorized."""
        return self.wait_for(lambda state: state["served"] == self.watches)

    def stop(self):
        self.readers.stop()
        self.daemon.stop()


def measure(options, watches, users):
    """Denies and authorizes in alternation. Returns the row of the table and the failures."""
    scenario = Scenario(options, watches, users)
    random_delay = random.Random(1)
    latencies, first_latencies, answer_times = [], [], []
    before, cpu = None, None
    for _ in range(options.repetitions):
        scenario.wait_until_served()
        if before is None:
            before, cpu = scenario.readers.report(), harness.cpu_seconds(scenario.readers.process.pid)
        # The denial comes at any moment between two fixes.
        time.sleep(random_delay.uniform(0, 1 / RATE))
        called, answered = scenario.administrator.set_authorization(FIRST_UID, "denied")
        # No query disturbs the readers meanwhile; and in this time comes one more fix, which must not be delivered.
        time.sleep(1.2 / RATE)
        state = scenario.wait_for(lambda state: len(state["denied"]) >= scenario.affected)
        if len(state["denied"]) > scenario.affected:
            raise RuntimeError(f"{len(state['denied'])} watches were denied instead of {scenario.affected}")
        latencies += [moment - called for moment in state["denied"]]
        first_latencies.append(min(state["denied"]) - called)
        answer_times.append(answered - called)
        called, answered = scenario.administrator.set_authorization(FIRST_UID, "authorizedAlways")
        answer_times.append(answered - called)
    state = scenario.wait_until_served()
    cpu = harness.cpu_seconds(scenario.readers.process.pid) - cpu
    report = scenario.readers.report()
    scenario.stop()

    messages = report["received"] + report["others"] - before["received"] - before["others"]
    row = {
        "watches": watches, "users": users, "affected": scenario.affected, "denied": percentiles(latencies),
        "first": percentiles(first_latencies), "answered": percentiles(answer_times), "measured": len(latencies),
        "reading": cpu / messages,
    }
    failures = []
    if state["leaked"]:
        failures.append(f"{state['leaked']} locations were read after a denial")
    # A denied watch misses fixes, once in each repetition, which are not reported to it as dropped.
    gaps = report["gaps"] - scenario.affected * options.repetitions
    if gaps > 0 or report["dropped"] or report["closed"]:
        failures.append(f"gaps {gaps}, dropped {report['dropped']}, closed {report['closed']} beyond the denials")
    if row["denied"]["p99"] > options.bar / 1e3:
        failures.append(f"p99 of {row['denied']['p99'] * 1e3:.1f} ms, at most {options.bar} ms is allowed")
    return row, [f"{watches} watches of {users} users: {failure}" for failure in failures]


def percentiles(values):
    return {"p50": harness.quantile(values, 0.5), "p99": harness.quantile(values, 0.99), "max": max(values)}


def format_row(row):
    def milliseconds(values):
        return "/".join(f"{values[key] * 1e3:.1f}" for key in ("p50", "p99", "max"))

    return (
        f"{row['watches']:7} {row['users']:6} {row['affected']:10}  {row['measured']:8}  "
        f"{milliseconds(row['denied']):>18}  {milliseconds(row['first']):>18}  {milliseconds(row['answered']):>18}  "
        f"{row['reading'] * 1e6:6.1f} us")


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--repetitions", type=int, default=100, help="denials in each scenario, 1 or more")
    parser.add_argument("--bar", type=float, default=50, help="the largest p99 allowed, ms")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON too")
    options = parser.parse_args()
    harness.require_root()
    harness.raise_open_file_limit()
    print(harness.describe_machine())
    print("milliseconds, p50/p99/max")
    print("watches  users   affected  readings        denied, each       denied, first            answered   reading")
    rows, failures = [], []
    for watches, users in SCENARIOS:
        row, row_failures = measure(options, watches, users)
        rows.append(row)
        failures += row_failures
        print(format_row(row), flush=True)
    print(harness.describe_machine())
    if options.json:
        print(json.dumps(rows))
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
