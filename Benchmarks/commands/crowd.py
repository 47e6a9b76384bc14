#!/usr/bin/env python3
"""What floods cost a quiet client: its calls and its fixes, during floods of one user and of eight, by turns.

Exits with 1 if the quiet client gets an error, loses a fix, waits too long for its calls or gets its fixes too late. Needs
root.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import select
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import Client
from library.floods import AUTHORIZED, FLOODS, STATUS, Flood

QUIET, NEWCOMER = 61_002, 61_003
RATE = 10
CALL_INTERVAL = 0.02
CONFIGURATION = f"""[[sources]]
kind = "simulator"
rate = {RATE}.0
"""


class Newcomer:
    """Somebody who connects, asks and leaves, ten times a second."""

    def __init__(self, path):
        self.waits = multiprocessing.SimpleQueue()
        self.process = multiprocessing.Process(target=self.run, args=(path,), daemon=True)
        self.process.start()

    def run(self, path):
        stage.become(NEWCOMER)
        while True:
            time.sleep(0.1)
            began = time.monotonic()
            client = Client(path)
            reply = client.call("org.locationd.location.GetStatus")
            self.waits.put((time.monotonic() - began, reply.get("error")))
            client.close()

    def take(self):
        """How long each took since the last time, and the errors."""
        taken = []
        while not self.waits.empty():
            taken.append(self.waits.get())
        return [wait for wait, _ in taken], [error for _, error in taken if error]


class Quiet:
    """The client that is to notice nothing: one connection for calls, one for a watch."""

    def __init__(self, path):
        with stage.user(QUIET):
            self.caller, self.watcher = Client(path), Client(path).watch()
        self.sequence = None
        self.faults = []

    def run(self, seconds):
        """Calls and reads for so long. Returns how long each call took and how old each fix was."""
        waits, ages = [], []
        asked, began = None, time.monotonic()
        due = began
        while (now := time.monotonic()) < began + seconds or asked is not None:
            if asked is None and now >= due:
                due += CALL_INTERVAL
                asked = time.monotonic()
                self.caller.socket.sendall(STATUS)
            wait = 1 if asked is not None else max(0, due - time.monotonic())
            ready, _, _ = select.select([self.caller.socket, self.watcher.socket], [], [], wait)
            if self.caller.socket in ready:
                for reply in self.caller.received():
                    waits.append(time.monotonic() - asked)
                    asked = None
                    if b'"error"' in reply:
                        self.faults.append(f"a call was answered {reply}")
            if self.watcher.socket in ready:
                now = time.clock_gettime(time.CLOCK_BOOTTIME)
                for reply in self.watcher.received():
                    self.heed(json.loads(reply[:-1]), now, ages)
        return waits, ages

    def heed(self, reply, now, ages):
        """Takes one reply of the watch; adds the age of its fix."""
        parameters = reply.get("parameters", {})
        if "error" in reply or parameters.get("dropped"):
            self.faults.append(f"the watch was told {reply}")
        if "location" not in parameters:
            return
        location = parameters["location"]
        if self.sequence is not None and location["sequence"] != self.sequence + 1:
            self.faults.append(f"fix {self.sequence} was followed by {location['sequence']}")
        self.sequence = location["sequence"]
        ages.append(now - location["monotonicTime"])


MEASURES = ("calls", "delivery", "entering")


def shown(name, row, quiet):
    def milliseconds(key):
        return "/".join(f"{stage.quantile(row[key], share) * 1e3:.2f}" for share in (0.5, 0.99, 1))

    def ratio(key):
        return stage.quantile(row[key], 0.99) / stage.quantile(quiet[key], 0.99)

    cells = " ".join(f"{milliseconds(key):>17} {ratio(key):5.1f}" for key in MEASURES)
    return f"{name:8} {cells}  {100 * row['cpu'] / row['time']:5.0f} %  {'/'.join(map(str, row['done']))}"


def round_of(name, row, daemon, quiet, newcomer, options):
    """One flood, and what it is like to be somebody else meanwhile."""
    flood = Flood(FLOODS[name], daemon.path, options.nice)
    # What is about to happen has begun, and what went before is over.
    quiet.run(0.4)
    newcomer.take()
    spent, began = stage.cpu_seconds(daemon.pid), time.monotonic()
    waits, ages = quiet.run(options.seconds)
    row["cpu"] += stage.cpu_seconds(daemon.pid) - spent
    row["time"] += time.monotonic() - began
    entered, errors = newcomer.take()
    for key, values in zip(MEASURES, (waits, ages, entered)):
        row[key] += values
    quiet.faults += [f"somebody who connected was answered {error}" for error in errors]
    row["done"] = [sum(pair) for pair in itertools.zip_longest(row["done"], flood.end(), fillvalue=0)]
    quiet.run(0.1)


def faults(name, row, allowed, calm, options):
    """What should not have happened in the rounds of a flood; allowed is the p99 of calls, seconds, for each user who floods,
    since each may have a turn first, and calm are the rows without a flood."""
    allowed *= max(1, len({user for _, _, *user in FLOODS[name] for user in user}))
    later = stage.quantile(row["delivery"], 0.99) - max(stage.quantile(other["delivery"], 0.99) for other in calm)
    if later * 1e3 > options.lateness:
        yield f"{name}: p99 of fixes {later * 1e3:.1f} ms later, at most {options.lateness} ms is meant to be"
    late = stage.quantile(row["calls"], 0.99)
    if late > allowed:
        yield f"{name}: p99 of {late * 1e3:.1f} ms, at most {allowed * 1e3:.1f} ms is meant to be"
    if len(row["delivery"]) < row["time"] * RATE - 2 * options.rounds:
        yield f"{name}: {len(row['delivery'])} fixes came of {row['time'] * RATE:.0f}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=float, default=2, help="of one round of one flood")
    options.add_argument("--rounds", type=int, default=3, help="of each flood")
    options.add_argument("--floods", default=",".join(FLOODS), help="which to try, the first to compare with")
    options.add_argument("--nice", type=int, default=19, help="how far the flood stands back for the processor")
    options.add_argument(
        "--lateness", type=float, default=5, help="by how much the p99 of fixes may be later than without the flood, ms")
    options.add_argument("--bar", type=float, default=5, help="the p99 of calls that is always allowed, ms")
    options.add_argument(
        "--realtime", action="store_true", help="run all but the floods first, whatever else the machine does")
    options = options.parse_args()
    stage.need_root()
    stage.allow_many_files()
    if options.realtime:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    daemon = stage.Daemon(options.daemon, None, stage.folder(), rest=CONFIGURATION)
    administrator = stage.Administrator(daemon)
    for user in (QUIET, *AUTHORIZED):
        administrator.decide(user, "authorizedAlways")
    newcomer = Newcomer(daemon.path)
    quiet = Quiet(daemon.path)
    quiet.run(1)
    names = options.floods.split(",")
    rows = {name: {key: [] for key in (*MEASURES, "done")} | {"cpu": 0, "time": 0} for name in names}
    print(stage.machine())
    for turn in range(options.rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            round_of(name, rows[name], daemon, quiet, newcomer, options)
    print("milliseconds, p50/p99/most, and the ratio of the p99 to that of the first row")
    print("flood                  calls                delivery                entering           CPU  done")
    calm = rows[names[0]]
    # Nobody is faster than the machine lets them be.
    usual = stage.quantile(calm["calls"], 0.99)
    busy = stage.quantile(rows["busy"]["calls"], 0.99) if "busy" in rows else 0
    allowed = max(options.bar / 1e3, 5 * usual, busy)
    broken = quiet.faults[:5]
    for name in names:
        print(shown(name, rows[name], calm))
        if name != "busy":
            broken += faults(
                name, rows[name], allowed, [calm] + ([rows["busy"]] if "busy" in rows else []), options)
    print(stage.machine())
    if not newcomer.process.is_alive():
        broken.append("somebody who connected was not served")
    if daemon.process.poll() is not None:
        broken.append("the daemon ended")
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
