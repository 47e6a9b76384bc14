#!/usr/bin/env python3
"""What filters and reduced accuracy cost, beside watches that get everything.

Exits with 1 if a message is lost; if a fix is encoded more than once for watches that see the same; or if watches that
get nothing, or half, cost as much as those that get everything.
"""

import re
import statistics
import sys
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.client import WATCH, watch_request
from library.daemon import LIMITS_FOR_MANY_CLIENTS, Administrator, Daemon
from library.readers import Readers

RATE = 5
FULL_USER, REDUCED_USER = 61001, 61002
# A fix is 0.135 m from the one before it, but for one in a thousand.
NOTHING, HALF = watch_request(distanceFilter=1e6), watch_request(distanceFilter=0.2)
# Kinds of watches: for each group of them the request, how many, of which user, and the share of fixes they get; then
# the limit of the CPU time per fix relative to the first kind.
KINDS = {
    "1,000 that get everything": ([(WATCH, 1000, FULL_USER, 1)], 1),
    "1,000 that get every second fix": ([(HALF, 1000, FULL_USER, 0.5)], 0.8),
    "500 full, 500 of reduced accuracy": ([(WATCH, 500, FULL_USER, 1), (WATCH, 500, REDUCED_USER, 0)], 0.8),
    "1,000 that get nothing": ([(NOTHING, 1000, FULL_USER, 0)], 0.5),
}


class Service:
    """A daemon with its source and its administrator, as a server to measure."""

    def __init__(self, options, gpsd):
        self.daemon = Daemon(
            options.daemon, gpsd, harness.temporary_directory(),
            configuration=LIMITS_FOR_MANY_CLIENTS + "requests-per-second = 10000.0\n")
        self.path, self.pid, self.run = self.daemon.path, self.daemon.pid, gpsd.stream
        self.administrator = Administrator(self.daemon)

    def metric(self, name):
        text = self.administrator.checked_call("GetMetrics")["text"]
        return int(re.search(rf"^locationd_{name} (\d+)$", text, re.M)[1])

    def wait_until_unused(self):
        """Returns once the administrator is the only client."""
        while self.metric("clients") > 1:
            time.sleep(0.1)


def measure(server, readers, expected, fixes):
    """CPU seconds per fix, and the report of each of the readers with what it received in this measurement alone.

    Ends the benchmark unless that is as many messages as expected. Where half of the fixes pass a filter, one more for
    each client is possible.
    """
    server.run(RATE, RATE)
    time.sleep(0.5)
    before = [reader.report(reset_latency=True)["received"] for reader in readers]
    cpu = harness.cpu_seconds(server.pid)
    server.run(RATE, fixes)
    reports = [
        reader.wait_for_locations(start + count, timeout=60)
        for reader, start, count in zip(readers, before, expected)]
    # A fix that every watch filters out leaves no trace when it has been handled.
    time.sleep(0.5)
    cpu = harness.cpu_seconds(server.pid) - cpu
    for report, start, count in zip(reports, before, expected):
        report["received"] -= start
        if not count <= report["received"] <= count * (1 + 2 / fixes) or report["dropped"] or report["closed"]:
            sys.exit(f"{count} messages were expected, so the figures mean nothing: {report}")
    return cpu / fixes, reports


def format_median(values, unit=1e6):
    """The median with the extremes."""
    values = [value * unit for value in values]
    return f"{statistics.median(values):7.2f} ({min(values):.2f}-{max(values):.2f})"


def by_kind(service, program, directory, options):
    """Prints a line for each kind of watches; yields failures."""
    fixes, first = options.seconds * RATE // 2 * 2, None
    for uid, accuracy in (FULL_USER, "full"), (REDUCED_USER, "reduced"):
        service.administrator.set_authorization(uid, "authorizedAlways", accuracy=accuracy)
    rows = {name: [] for name in KINDS}
    for turn in range(options.repetitions):
        for name in sorted(KINDS, reverse=turn % 2 == 1):
            service.wait_until_unused()
            readers = []
            for number, (call, watches, uid, _) in enumerate(KINDS[name][0]):
                (directory / f"call-{number}").write_bytes(call)
                readers.append(
                    Readers(program, service.path, watches, directory / f"call-{number}", uid, 1))
                readers[-1].wait_until_answered(watches)
            encodings = service.metric("encodings_total")
            expected = [int(watches * share * fixes) for _, watches, _, share in KINDS[name][0]]
            cost, reports = measure(service, readers, expected, fixes)
            # The warm-up's fixes are encoded, too.
            encodings = (service.metric("encodings_total") - encodings) / (fixes + RATE)
            rows[name].append((cost, sum(report["received"] for report in reports) / fixes, encodings))
            for reader in readers:
                reader.stop()
    print("of 1,000 watches                    us/fix of CPU               share  messages/fix  encodings/fix")
    for name, (_, limit) in KINDS.items():
        costs, messages, encodings = zip(*rows[name])
        cost = statistics.median(costs)
        first = first or cost
        print(f"{name:34}  {format_median(costs):>26}  {cost / first:5.2f}  {messages[0]:12.0f}  "
              f"{max(encodings):13.2f}", flush=True)
        if cost > limit * first:
            yield f"{name}: {cost / first:.2f} of those that get everything, {limit} is the limit"
        # A reduced location or a status now and then is encoded besides; an encoding for each watch would be a thousand.
        if max(encodings) > 1.2:
            yield f"{name}: {max(encodings):.2f} encodings for a fix"


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=6, help="of one measurement")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each, in alternation")
    options = parser.parse_args()
    harness.require_root()
    harness.raise_open_file_limit()
    directory = harness.temporary_directory()
    service = Service(options, ScriptedGPSD())
    print(harness.describe_machine())
    failures = list(by_kind(service, harness.compile_program("readers", directory), directory, options))
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
