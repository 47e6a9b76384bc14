#!/usr/bin/env python3
"""How soon a denial reaches live watches: from before it is asked for to each client's reading it.

Exits with 1 if it takes too long, if a location follows a denial, or if anybody else's watch suffers. Needs root.
"""

import argparse
import json
import random
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import WATCH

FIRST_UID = 61_000
RATE = 10
# Watches, users; the decisions are about the first user.
SCENARIOS = [(1000, 1), (1000, 50)]
CONFIGURATION = f"""clients-per-user = 2000
requests-per-second = 10000.0
[[sources]]
kind = "simulator"
rate = {RATE}.0
"""


class Stage:
    """A daemon and its clients, of whom those of the first user are about to lose what they have."""

    def __init__(self, options, watches, users):
        directory = stage.folder()
        self.daemon = stage.Daemon(options.daemon, None, directory, rest=CONFIGURATION)
        self.administrator = stage.Administrator(self.daemon)
        for uid in range(FIRST_UID, FIRST_UID + users):
            self.administrator.decide(uid, "authorizedAlways")
        (directory / "request").write_bytes(WATCH)
        self.readers = stage.Readers(
            stage.compiled("readers", directory), self.daemon.path, watches, directory / "request", FIRST_UID, users)
        self.watches, self.concerned = watches, len(range(0, watches, users))
        self.readers.answered(watches)

    def until(self, condition, patience=10):
        """What the clients were told, once the condition holds for it."""
        end = time.monotonic() + patience
        while not condition(told := self.readers.told()):
            if time.monotonic() > end:
                raise TimeoutError(f"{len(told['denied'])} denied, {told['fed']} fed, {told['leaked']} leaked")
            time.sleep(0.02)
        return told

    def end(self):
        self.readers.end()
        self.daemon.end()


def measure(options, watches, users):
    """Denies and authorizes by turns. Returns the row and the promises that were broken."""
    scene = Stage(options, watches, users)
    chance = random.Random(1)
    latencies, firsts, answers = [], [], []
    read_before, spent = None, None
    for _ in range(options.repetitions):
        # Every watch lives: each has had a location since it may.
        scene.until(lambda told: told["fed"] == watches)
        if read_before is None:
            read_before, spent = scene.readers.report(), stage.cpu_seconds(scene.readers.process.pid)
        # The next fix may come at any moment, the same one included.
        time.sleep(chance.uniform(0, 1 / RATE))
        asked, answered = scene.administrator.decide(FIRST_UID, "denied")
        # Nobody asks the reader anything while it reads; and one more fix comes that must not arrive.
        time.sleep(1.2 / RATE)
        told = scene.until(lambda told: len(told["denied"]) >= scene.concerned)
        if len(told["denied"]) > scene.concerned:
            raise RuntimeError(f"{len(told['denied'])} watches were denied, {scene.concerned} should be")
        latencies += [moment - asked for moment in told["denied"]]
        firsts.append(min(told["denied"]) - asked)
        answers.append(answered - asked)
        asked, answered = scene.administrator.decide(FIRST_UID, "authorizedAlways")
        answers.append(answered - asked)
    told = scene.until(lambda told: told["fed"] == watches)
    spent = stage.cpu_seconds(scene.readers.process.pid) - spent
    books = scene.readers.report()
    scene.end()

    row = {
        "watches": watches, "users": users, "concerned": scene.concerned, "denied": spread(latencies),
        "first": spread(firsts), "answered": spread(answers), "measured": len(latencies),
        "reading": spent / (books["received"] + books["others"] - read_before["received"] - read_before["others"]),
    }
    broken = []
    if told["leaked"]:
        broken.append(f"{told['leaked']} locations were read after a denial")
    # Whoever was denied misses fixes, once in each repetition, and is not told that it lost any.
    gaps = books["gaps"] - scene.concerned * options.repetitions
    if gaps > 0 or books["dropped"] or books["closed"]:
        broken.append(f"gaps {gaps}, dropped {books['dropped']}, closed {books['closed']} beyond what was denied")
    if row["denied"]["p99"] > options.bar / 1e3:
        broken.append(f"p99 of {row['denied']['p99'] * 1e3:.1f} ms, at most {options.bar} ms is meant to be")
    return row, [f"{watches} watches of {users} users: {fault}" for fault in broken]


def spread(values):
    return {"p50": stage.quantile(values, 0.5), "p99": stage.quantile(values, 0.99), "most": max(values)}


def shown(row):
    def milliseconds(values):
        return "/".join(f"{values[key] * 1e3:.1f}" for key in ("p50", "p99", "most"))

    return (
        f"{row['watches']:7} {row['users']:6} {row['concerned']:10}  {row['measured']:8}  "
        f"{milliseconds(row['denied']):>18}  {milliseconds(row['first']):>18}  {milliseconds(row['answered']):>18}  "
        f"{row['reading'] * 1e6:6.1f} us")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--repetitions", type=int, default=100, help="denials in each scenario, 1 or more")
    options.add_argument("--bar", type=float, default=50, help="the largest p99 allowed, ms")
    options.add_argument("--json", action="store_true", help="print the rows as JSON too")
    options = options.parse_args()
    stage.need_root()
    stage.allow_many_files()
    print(stage.machine())
    print("milliseconds, p50/p99/most")
    print("watches  users  concerned  readings        denied, each       denied, first            answered   reading")
    rows, broken = [], []
    for watches, users in SCENARIOS:
        row, faults = measure(options, watches, users)
        rows.append(row)
        broken += faults
        print(shown(row), flush=True)
    print(stage.machine())
    if options.json:
        print(json.dumps(rows))
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
