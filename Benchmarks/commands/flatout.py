#!/usr/bin/env python3
"""A receiver that reports as fast as its data is read: no watch gets every fix, and each knows how many it has lost.

Exits with 1 if, for any watch, the fixes it has read and those reported to it as dropped are not what was produced.
"""

import sys
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.client import WATCH
from library.daemon import LIMITS_FOR_MANY_CLIENTS, Administrator, Daemon
from library.floor import FloorAndService, sample_message
from library.moments import Moments

WATCHES = [1, 60, 1000, 8000]


class SequenceCheck:
    """Compares the service's sequence numbers with the count of fixes that the source has produced."""

    def __init__(self, administrator, gpsd):
        self.administrator, self.gpsd = administrator, gpsd
        end = time.monotonic() + 10
        while (statistics := administrator.statistics())["fixes"] != gpsd.produced:
            if time.monotonic() > end:
                sys.exit(f"of {gpsd.produced} fixes the service has {statistics['fixes']}")
            time.sleep(0.05)
        self._first = statistics["sequence"] - gpsd.produced

    def settle(self, readers):
        """Waits until every watch has read the last fix, for a minute at most.

        Returns how many fixes each watch has read or lost, and by how many the service's sequence number is too high.
        """
        last, end = self._first + self.gpsd.produced, time.monotonic() + 60
        while readers.counts()["last"] < last and time.monotonic() < end:
            time.sleep(0.1)
        return readers.totals(), self.administrator.statistics()["sequence"] - last


def measure(server, readers, run):
    """The figures of one flood: `run` makes the fixes and returns how many."""
    before = readers.report(reset_latency=True)["received"]
    cpu, start = harness.cpu_seconds(server.pid), time.monotonic()
    fixes = run()
    seconds = time.monotonic() - start
    report = readers.report()
    cpu = harness.cpu_seconds(server.pid) - cpu
    delivered = report["received"] - before
    return {
        "fixes": fixes, "cost": cpu / delivered * 1e6, "rate": delivered / seconds,
        "share": delivered / fixes / report["clients"], "latency": report["latency"], "busy": cpu / seconds,
    }


def format_row(watches, name, row):
    latency = "/".join(f"{row['latency'][key] * 1e3:.2f}" for key in ("p50", "p99", "max"))
    return (
        f"{watches:7} {name:>9} {row['fixes']:10} {row['rate']:13.0f} {100 * row['share']:9.2f} % "
        f"{row['cost']:8.2f} {100 * row['busy']:6.0f} % {latency:>24}")


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=4, help="of one flood")
    parser.add_argument("--only", type=int, nargs="+", default=WATCHES, help="numbers of watches")
    options = parser.parse_args()
    harness.raise_open_file_limit()
    directory = harness.temporary_directory()
    programs = {name: harness.compile_program(name, directory) for name in ("floor", "readers")}
    moments = {name: Moments(directory / f"{name}.moments") for name in ("floor", "locationd")}
    gpsd = ScriptedGPSD(moments=moments["locationd"])
    daemon = Daemon(options.daemon, gpsd, directory, configuration=LIMITS_FOR_MANY_CLIENTS)
    (directory / "request").write_bytes(WATCH)
    (directory / "message").write_bytes(sample_message(daemon.path, gpsd.stream))
    check = SequenceCheck(Administrator(daemon), gpsd)
    print(harness.describe_machine())
    print("watches    server      fixes  deliveries/s   delivered  CPU, us   busy   latency p50/p99/max, ms")
    failures = []
    for watches in options.only:
        pair = FloorAndService(programs, directory, daemon, watches, moments)
        count = int(options.seconds * 400_000 / watches)
        row = measure(pair.floor, pair.readers["floor"], lambda: pair.floor.run(0, count) or count)
        print(format_row(watches, "floor", row))
        readers = pair.readers["locationd"]
        gpsd.stream(10, 1)
        before, _ = check.settle(readers)
        produced = gpsd.produced
        row = measure(daemon, readers, lambda: gpsd.flood(options.seconds))
        print(format_row(watches, "locationd", row))
        # After the flood, one more fix carries the count of dropped ones to each watch.
        check.settle(readers)
        gpsd.stream(10, 1)
        after, excess = check.settle(readers)
        produced = gpsd.produced - produced
        wrong = [later - earlier for earlier, later in zip(before, after) if later - earlier != produced]
        if wrong:
            failures.append(f"{len(wrong)} watches account for {min(wrong)} to {max(wrong)} of {produced} fixes")
        if excess:
            failures.append(f"the service has numbered {excess} more fixes than were produced")
        print(f"{'':7} read + lost = produced for {watches - len(wrong)} of {watches} watches", flush=True)
        pair.stop()
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
