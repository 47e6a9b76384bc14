#!/usr/bin/env python3
"""What more watches, filters and receivers cost.

Exits with 1 if a message is lost; if a message to one of 8,000 watches costs more, relative to the floor, than one to one
of 1,000; if a fix is encoded more than once for watches that see the same; if watches that get nothing, or half, cost as
much as those that get everything; or if the fixes of one of twenty receivers do not arrive.
"""

import re
import statistics
import sys
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ManyReceiversGPSD, ScriptedGPSD
from library import harness
from library.client import WATCH, watch_request
from library.daemon import LIMITS_FOR_MANY_CLIENTS, Administrator, Daemon
from library.floor import Floor, sample_message
from library.moments import Moments
from library.readers import Readers

COUNTS = (10, 100, 1000, 8000)
RATE = 5
FULL_USER, REDUCED_USER = 61001, 61002
# By how much the cost of a message, relative to the floor, may grow from 1,000 watches to 8,000.
MAX_GROWTH = 1.25
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


def measure(server, readers, expected, fixes, rate=RATE):
    """CPU seconds per fix, and the report of each of the readers with what it received in this measurement alone.

    Ends the benchmark unless that is as many messages as expected. Where half of the fixes pass a filter, one more for
    each client is possible.
    """
    server.run(rate, rate)
    time.sleep(0.5)
    before = [reader.report(reset_latency=True)["received"] for reader in readers]
    cpu = harness.cpu_seconds(server.pid)
    server.run(rate, fixes)
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


def by_watches(service, programs, directory, options):
    """Prints a line for each number of watches; returns the cost relative to the floor for each."""
    fixes, ratios = options.seconds * RATE, {}
    message, moments = directory / "message", Moments(directory / "moments")
    message.write_bytes(sample_message(service.path, service.run))
    print("watches  us/message: locationd       floor                 ratio  us/fix beyond the floor  p50/p99, ms")
    for watches in COUNTS:
        service.wait_until_unused()
        floor = Floor(programs["floor"], str(directory / f"floor-{watches}.sock"), watches, message, moments)
        servers = {
            "floor": (floor, Readers(programs["readers"], floor.path, watches)),
            "locationd": (service, Readers(programs["readers"], service.path, watches, directory / "everything")),
        }
        floor.expect("ready")
        servers["locationd"][1].wait_until_answered(watches)
        costs, latencies = {name: [] for name in servers}, []
        for turn in range(options.repetitions):
            for name in sorted(servers, reverse=turn % 2 == 1):
                server, readers = servers[name]
                cost, [report] = measure(server, [readers], [watches * fixes], fixes)
                costs[name].append(cost / watches)
                if name == "locationd":
                    latencies.append(report["latency"])
        for _, readers in servers.values():
            readers.stop()
        floor.stop()
        least, ours = (statistics.median(costs[name]) for name in ("floor", "locationd"))
        ratios[watches] = ours / least
        p50, p99 = (statistics.median(latency[key] for latency in latencies) * 1e3 for key in ("p50", "p99"))
        print(f"{watches:7}  {format_median(costs['locationd']):>21}  {format_median(costs['floor']):>20}  "
              f"{ours / least:5.2f}  {(ours - least) * watches * 1e6:23.0f}  {p50:.2f}/{p99:.2f}", flush=True)
    return ratios


def by_kind(service, programs, directory, options):
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
                    Readers(programs["readers"], service.path, watches, directory / f"call-{number}", uid, 1))
                readers[-1].wait_until_answered(watches)
            encodings = service.metric("encodings_total")
            expected = [int(watches * share * fixes) for _, watches, _, share in KINDS[name][0]]
            cost, reports = measure(service, readers, expected, fixes)
            # The warm-up's fixes are encoded, too.
            encodings = (service.metric("encodings_total") - encodings) / (fixes + RATE)
            rows[name].append((cost, sum(report["received"] for report in reports) / fixes, encodings))
            for reader in readers:
                reader.stop()
    print("\nof 1,000 watches                    us/fix of CPU               share  messages/fix  encodings/fix")
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


def by_receivers(programs, directory, options):
    """Prints a line for one receiver and for twenty, with watches of every source and plain ones."""
    print("\nreceivers   us/fix of CPU  % of a core  p50/p99, ms: every source  plain")
    fixes = options.seconds * 10
    (directory / "every").write_bytes(watch_request(everySource=True))
    for count in (1, 20):
        service = Service(options, ManyReceiversGPSD(count))
        readers = [Readers(programs["readers"], service.path, 50, directory / name) for name in ("every", "everything")]
        for reader in readers:
            reader.wait_until_answered(50)
        cost, reports = measure(service, readers, [50 * count * fixes, 50 * fixes], fixes, rate=10)
        latency = [f"{report['latency']['p50'] * 1e3:.2f}/{report['latency']['p99'] * 1e3:.2f}" for report in reports]
        print(f"{count:2} x 10 Hz  {cost / count * 1e6:15.1f}  {cost * 10 * 100:11.2f}  {latency[0]:>26}  {latency[1]}",
              flush=True)
        for reader in readers:
            reader.stop()
        service.daemon.stop()


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=6, help="of one measurement")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each, in alternation")
    options = parser.parse_args()
    harness.require_root()
    harness.raise_open_file_limit()
    directory = harness.temporary_directory()
    (directory / "everything").write_bytes(WATCH)
    programs = {name: harness.compile_program(name, directory) for name in ("floor", "readers")}
    service = Service(options, ScriptedGPSD())
    print(harness.describe_machine())
    ratios = by_watches(service, programs, directory, options)
    failures = []
    if ratios[8000] > MAX_GROWTH * ratios[1000]:
        failures.append(
            f"a message to one of 8,000 costs {ratios[8000] / ratios[1000]:.2f} times as much relative to the floor")
    failures += by_kind(service, programs, directory, options)
    by_receivers(programs, directory, options)
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
