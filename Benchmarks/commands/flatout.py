#!/usr/bin/env python3
"""A receiver as fast as it is taken: nobody can have every fix, and every watch's books are right all the same.

Exits with 1 if, for any watch, what it read and what it was told it lost is not what was produced.
"""

import argparse
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import WATCH
from library.floor import Pair, sample
from library.moments import Moments
from doubles.scripted_gpsd import ScriptedGPSD

WATCHES = [1, 60, 1000, 8000]


class Numbers:
    """The number that the service gives to each fix of the source, if it sees them all."""

    def __init__(self, administrator, gpsd):
        self.administrator, self.gpsd = administrator, gpsd
        end = time.monotonic() + 10
        while (statistics := administrator.statistics())["fixes"] != gpsd.produced:
            if time.monotonic() > end:
                sys.exit(f"of {gpsd.produced} fixes the service has {statistics['fixes']}")
            time.sleep(0.05)
        self._first = statistics["sequence"] - gpsd.produced

    def settled(self, readers):
        """Once every watch has read the last fix, or after a minute: what each has read or was told it lost, and by
        how many the service's count is off."""
        last, end = self._first + self.gpsd.produced, time.monotonic() + 60
        while readers.counts()["last"] < last and time.monotonic() < end:
            time.sleep(0.1)
        return readers.each(), self.administrator.statistics()["sequence"] - last


def measured(server, readers, run):
    """What a run of the server comes to: its CPU time per delivered message, deliveries a second, latency."""
    before = readers.report(fresh=True)["received"]
    spent, began = stage.cpu_seconds(server.pid), time.monotonic()
    made = run()
    took = time.monotonic() - began
    books = readers.report()
    spent = stage.cpu_seconds(server.pid) - spent
    delivered = books["received"] - before
    return {
        "made": made, "cost": spent / delivered * 1e6, "pace": delivered / took,
        "share": delivered / made / books["clients"], "latency": books["latency"], "busy": spent / took,
    }


def shown(watches, name, row):
    latency = "/".join(f"{row['latency'][key] * 1e3:.2f}" for key in ("p50", "p99", "most"))
    return (
        f"{watches:7} {name:>9} {row['made']:10} {row['pace']:13.0f} {100 * row['share']:9.2f} % "
        f"{row['cost']:8.2f} {100 * row['busy']:6.0f} % {latency:>24}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=float, default=4, help="of one flood")
    options.add_argument("--only", type=int, nargs="+", default=WATCHES, help="numbers of watches")
    options = options.parse_args()
    stage.allow_many_files()
    directory = stage.folder()
    programs = {name: stage.compiled(name, directory) for name in ("floor", "readers")}
    moments = {name: Moments(directory / f"{name}.moments") for name in ("floor", "locationd")}
    gpsd = ScriptedGPSD(moments=moments["locationd"])
    daemon = stage.Daemon(options.daemon, gpsd, directory, rest=stage.LIMITS)
    administrator = stage.Administrator(daemon)
    (directory / "request").write_bytes(WATCH)
    (directory / "message").write_bytes(sample(daemon.path, gpsd.stream))
    numbers = Numbers(administrator, gpsd)
    print(stage.machine())
    print("watches    server      fixes  deliveries/s   delivered  CPU, us   busy  latency p50/p99/most, ms")
    broken = []
    for watches in options.only:
        pair = Pair(programs, directory, daemon, watches, moments)
        count = int(options.seconds * 400_000 / watches)
        row = measured(pair.floor, pair.readers["floor"], lambda: pair.floor.run(0, count) or count)
        print(shown(watches, "floor", row))
        readers = pair.readers["locationd"]
        gpsd.stream(10, 1)
        before, _ = numbers.settled(readers)
        produced = gpsd.produced
        row = measured(daemon, readers, lambda: gpsd.flood(options.seconds))
        print(shown(watches, "locationd", row))
        # Once the flood is over, one more fix tells each watch what it has lost.
        numbers.settled(readers)
        gpsd.stream(10, 1)
        after, excess = numbers.settled(readers)
        produced = gpsd.produced - produced
        wrong = [now - then for then, now in zip(before, after) if now - then != produced]
        if wrong:
            broken.append(f"{len(wrong)} watches account for {min(wrong)} to {max(wrong)} of {produced} fixes")
        if excess:
            broken.append(f"the service has numbered {excess} more fixes than were produced")
        print(f"{'':7} read + lost = produced for {watches - len(wrong)} of {watches} watches", flush=True)
        pair.end()
    print(stage.machine())
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
