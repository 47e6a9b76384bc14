#!/usr/bin/env python3
"""What more watches, filters and receivers cost.

Exits with 1 if a message is lost; if a message to one of 8,000 is dearer, beside the floor, than one to one of 1,000;
if a fix is encoded more than once for all who see the same; if watches that get nothing, or half, cost as much as those
that get everything; or if one of twenty receivers goes unheard.
"""

import argparse
import re
import statistics
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import WATCH, request
from library.floor import Floor, sample
from library.moments import Moments
from doubles.scripted_gpsd import DEVICE, Script, ScriptedGPSD, line

COUNTS = (10, 100, 1000, 8000)
RATE = 5
FULL_USER, REDUCED_USER = 61001, 61002
# How much dearer beside the floor a message may become from 1,000 watches to 8,000.
BAR_GROWTH = 1.25


def asking(**parameters):
    return request("org.locationd.location.Watch", more=True, **parameters)


# A fix is 0.135 m from the one before it, but once in a thousand.
NOTHING, HALF = asking(distanceFilter=1e6), asking(distanceFilter=0.2)
# Kinds of watches: what they ask, how many, of which user, and the share of fixes they get; then what share of CPU time
# per fix they may cost beside the first kind.
KINDS = {
    "1,000 that get everything": ([(WATCH, 1000, FULL_USER, 1)], 1),
    "1,000 that get every second fix": ([(HALF, 1000, FULL_USER, 0.5)], 0.8),
    "500 full, 500 of reduced accuracy": ([(WATCH, 500, FULL_USER, 1), (WATCH, 500, REDUCED_USER, 0)], 0.8),
    "1,000 that get nothing": ([(NOTHING, 1000, FULL_USER, 0)], 0.5),
}


class ManyReceivers(ScriptedGPSD):
    """A gpsd with many receivers, all of which speak at the same moment."""

    def __init__(self, count):
        super().__init__()
        self.devices = [f"/dev/ttyACM{n}" for n in range(count)]
        self.scripts = [Script(path, {}) for path in self.devices]

    def stream(self, rate, count):
        self._awaited()
        self._client.sendall(line({"class": "DEVICES", "devices": [DEVICE | {"path": path} for path in self.devices]}))
        start = time.monotonic()
        for n in range(count):
            time.sleep(max(0, start + n / rate - time.monotonic()))
            self.produced += 1
            self._client.sendall(b"".join(script.epoch(self.produced) for script in self.scripts))


class Service:
    """A daemon with its source and its administrator."""

    def __init__(self, options, gpsd):
        self.daemon = stage.Daemon(options.daemon, gpsd, stage.folder(), rest=stage.LIMITS + "requests-per-second = 10000.0\n")
        self.path, self.pid, self.run = self.daemon.path, self.daemon.pid, gpsd.stream
        self.administrator = stage.Administrator(self.daemon)

    def metric(self, name):
        text = self.administrator.ask("GetMetrics")["text"]
        return int(re.search(rf"^locationd_{name} (\d+)$", text, re.M)[1])

    def left(self):
        """Returns once everybody but the administrator is gone."""
        while self.metric("clients") > 1:
            time.sleep(0.1)


def trial(server, readers, expected, fixes, rate=RATE):
    """CPU seconds per fix, and the books of each reader with what came in this trial alone, which has to be as many
    messages as expected; where half of the fixes go, one more to each is no wonder."""
    server.run(rate, rate)
    time.sleep(0.5)
    before = [reader.report(fresh=True)["received"] for reader in readers]
    spent = stage.cpu_seconds(server.pid)
    server.run(rate, fixes)
    books = [reader.awaited(start + count, patience=60) for reader, start, count in zip(readers, before, expected)]
    # Nothing says that a fix has been seen by those who get nothing of it.
    time.sleep(0.5)
    spent = stage.cpu_seconds(server.pid) - spent
    for each, start, count in zip(books, before, expected):
        each["received"] -= start
        if not count <= each["received"] <= count * (1 + 2 / fixes) or each["dropped"] or each["closed"]:
            sys.exit(f"{count} messages were expected, which makes the figures worthless: {each}")
    return spent / fixes, books


def middle(values, unit=1e6):
    """The median with the extremes."""
    values = [value * unit for value in values]
    return f"{statistics.median(values):7.2f} ({min(values):.2f}-{max(values):.2f})"


def by_watches(service, programs, directory, options):
    """One line for each number of watches; returns the ratio to the floor of each."""
    fixes, ratios = options.seconds * RATE, {}
    message, moments = directory / "message", Moments(directory / "moments")
    message.write_bytes(sample(service.path, service.run))
    print("watches  us/message: locationd       floor                 ratio  us/fix beyond the floor  p50/p99, ms")
    for watches in COUNTS:
        service.left()
        floor = Floor(programs["floor"], str(directory / f"floor-{watches}.sock"), watches, message, moments)
        stage.wait_for(floor.path)
        servers = {
            "floor": (floor, stage.Readers(programs["readers"], floor.path, watches)),
            "locationd": (service, stage.Readers(programs["readers"], service.path, watches, directory / "everything")),
        }
        floor.expect("ready")
        servers["locationd"][1].answered(watches)
        costs, latencies = {name: [] for name in servers}, []
        for turn in range(options.repetitions):
            for name in sorted(servers, reverse=turn % 2 == 1):
                server, readers = servers[name]
                spent, [books] = trial(server, [readers], [watches * fixes], fixes)
                costs[name].append(spent / watches)
                if name == "locationd":
                    latencies.append(books["latency"])
        for _, readers in servers.values():
            readers.end()
        floor.end()
        least, ours = (statistics.median(costs[name]) for name in ("floor", "locationd"))
        ratios[watches] = ours / least
        half, late = (statistics.median(latency[key] for latency in latencies) * 1e3 for key in ("p50", "p99"))
        print(f"{watches:7}  {middle(costs['locationd']):>21}  {middle(costs['floor']):>20}  {ours / least:5.2f}  "
              f"{(ours - least) * watches * 1e6:23.0f}  {half:.2f}/{late:.2f}", flush=True)
    return ratios


def by_kind(service, programs, directory, options):
    """One line for each kind of watches; yields what misses a bar."""
    fixes, first = options.seconds * RATE // 2 * 2, None
    for uid, accuracy in (FULL_USER, "full"), (REDUCED_USER, "reduced"):
        service.administrator.decide(uid, "authorizedAlways", accuracy=accuracy)
    rows = {name: [] for name in KINDS}
    for turn in range(options.repetitions):
        for name in sorted(KINDS, reverse=turn % 2 == 1):
            service.left()
            readers = []
            for number, (call, watches, uid, _) in enumerate(KINDS[name][0]):
                (directory / f"call-{number}").write_bytes(call)
                readers.append(stage.Readers(
                    programs["readers"], service.path, watches, directory / f"call-{number}", uid, 1))
                readers[-1].answered(watches)
            encodings = service.metric("encodings_total")
            expected = [int(watches * share * fixes) for _, watches, _, share in KINDS[name][0]]
            spent, books = trial(service, readers, expected, fixes)
            # The warm-up's fixes count here, too.
            encodings = (service.metric("encodings_total") - encodings) / (fixes + RATE)
            rows[name].append((spent, sum(each["received"] for each in books) / fixes, encodings))
            for reader in readers:
                reader.end()
    print("\nof 1,000 watches                    us/fix of CPU               share  messages/fix  encodings/fix")
    for name, (_, bar) in KINDS.items():
        spent, messages, encodings = zip(*rows[name])
        cost = statistics.median(spent)
        first = first or cost
        print(f"{name:34}  {middle(spent):>26}  {cost / first:5.2f}  {messages[0]:12.0f}  {max(encodings):13.2f}",
              flush=True)
        if cost > bar * first:
            yield f"{name}: {cost / first:.2f} of those that get everything, {bar} is the bar"
        # A rough fix, a change of status: a fix more or less, and not a thousand.
        if max(encodings) > 1.2:
            yield f"{name}: {max(encodings):.2f} encodings for a fix"


def by_receivers(programs, directory, options):
    """One receiver, then twenty, heard by watches of every source and by plain ones."""
    print("\nreceivers   us/fix of CPU  % of a core  p50/p99, ms: every source  plain")
    fixes = options.seconds * 10
    (directory / "every").write_bytes(asking(everySource=True))
    for count in (1, 20):
        service = Service(options, ManyReceivers(count))
        readers = [stage.Readers(programs["readers"], service.path, 50, directory / name)
                   for name in ("every", "everything")]
        for reader in readers:
            reader.answered(50)
        spent, (every, plain) = trial(service, readers, [50 * count * fixes, 50 * fixes], fixes, rate=10)
        late = ["{p50:.2f}/{p99:.2f}".format(**{key: value * 1e3 for key, value in books["latency"].items()})
                for books in (every, plain)]
        print(f"{count:2} x 10 Hz  {spent / count * 1e6:15.1f}  {spent * 10 * 100:11.2f}  {late[0]:>26}  {late[1]}",
              flush=True)
        for reader in readers:
            reader.end()
        service.daemon.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    parser.add_argument("--seconds", type=int, default=6, help="of one measurement")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each, by turns")
    options = parser.parse_args()
    stage.need_root()
    stage.allow_many_files()
    directory = stage.folder()
    (directory / "everything").write_bytes(WATCH)
    programs = {name: stage.compiled(name, directory) for name in ("floor", "readers")}
    service = Service(options, ScriptedGPSD())
    print(stage.machine())
    ratios = by_watches(service, programs, directory, options)
    broken = []
    if ratios[8000] > BAR_GROWTH * ratios[1000]:
        broken.append(f"a message to one of 8,000 is {ratios[8000] / ratios[1000]:.2f} times as dear beside the floor")
    broken += by_kind(service, programs, directory, options)
    by_receivers(programs, directory, options)
    print(stage.machine())
    if broken:
        sys.exit("; ".join(broken))


if __name__ == "__main__":
    main()
