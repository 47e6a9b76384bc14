#!/usr/bin/env python3
"""CPU time per delivered message: locationd beside the least that any program could spend.

Both servers send messages of equal size to equal readers at equal rates, by turns. Read README.md for what counts.
"""

import argparse
import json
import re
import statistics
import sys

import stage
from client import WATCH, Client
from scripted_gpsd import ScriptedGPSD

SCENARIOS = [(60, 10), (60, 100), (1000, 10)]


class Locationd:
    """The service with its source."""

    def __init__(self, daemon, gpsd):
        self.pid, self.path, self.run = daemon.pid, daemon.path, gpsd.stream


class Floor(stage.Child):
    """floor.c, once its readers have connected."""

    def __init__(self, program, path, watches, message):
        super().__init__(program, path, watches, message, wait=False)
        self.pid, self.path = self.process.pid, path

    def run(self, rate, count):
        self.tell(f"{rate} {count}")
        self.expect("done")


def sample(daemon, gpsd):
    """One location reply of the service, of median length of fifty, its sequence number widened to eight digits at the
    expense of the time's last ones."""
    client = Client(daemon.path).watch()
    gpsd.stream(100, 50)
    replies = sorted((m for m in client.messages(1) if b'"location":{' in m and b'"status":' not in m), key=len)
    client.close()
    reply = replies[len(replies) // 2]
    number = re.search(rb'"sequence":(\d+)', reply)[1]
    widened = reply.replace(b'"sequence":' + number, b'"sequence":' + number.zfill(8))
    excess = len(widened) - len(reply)
    return re.sub(rb'("monotonicTime":[\d.]+?)\d{%d}([,}])' % excess, rb"\1\2", widened)


def trial(server, readers, watches, rate, count):
    """Microseconds of the server's CPU time per delivered message, and the reader's books."""
    warm_up = max(5, rate // 2)
    before = readers.report()["received"]
    server.run(rate, warm_up)
    before = readers.awaited(before + watches * warm_up)
    readers.report(fresh=True)
    started = stage.cpu_seconds(server.pid)
    server.run(rate, count)
    books = readers.awaited(before["received"] + watches * count)
    spent = stage.cpu_seconds(server.pid) - started
    delivered = books["received"] - before["received"]
    size = (books["bytes"] - before["bytes"]) / max(1, delivered)
    if delivered != watches * count or books["gaps"] or books["dropped"] or books["closed"]:
        sys.exit(f"messages were lost, which makes the figures worthless: {delivered} of {watches * count}, {books}")
    return spent / delivered * 1e6, size, books["latency"]


def compare(programs, directory, service, message, watches, rate, seconds, repetitions):
    """Runs one scenario and returns its row."""
    path = str(directory / f"floor-{watches}-{rate}.sock")
    floor = Floor(programs["floor"], path, watches, message)
    stage.wait_for(path)
    servers = {
        "floor": (floor, stage.Readers(programs["readers"], path, watches)),
        "locationd": (service, stage.Readers(programs["readers"], service.path, watches, directory / "request")),
    }
    floor.expect("ready")
    servers["locationd"][1].answered(watches)
    costs = {name: [] for name in servers}
    sizes, latencies = {}, []
    for turn in range(repetitions):
        for name in sorted(servers, reverse=turn % 2 == 1):
            cost, sizes[name], latency = trial(*servers[name], watches, rate, seconds * rate)
            costs[name].append(cost)
            if name == "locationd":
                latencies.append(latency)
    for _, readers in servers.values():
        readers.end()
    floor.end()
    ratios = [a / b for a, b in zip(costs["locationd"], costs["floor"])]
    middle = {name: statistics.median(values) for name, values in costs.items()}
    return {
        "watches": watches, "rate": rate, "costs": costs, "median": middle, "sizes": sizes,
        "ratio": middle["locationd"] / middle["floor"], "ratios": ratios,
        "p50": statistics.median(l["p50"] for l in latencies), "p99": statistics.median(l["p99"] for l in latencies),
    }


def shown(row):
    def spread(name):
        return f"{row['median'][name]:5.2f} ({min(row['costs'][name]):.2f}-{max(row['costs'][name]):.2f})"

    return (
        f"{row['watches']:7} {row['rate']:4} Hz  {spread('floor'):>18}  {spread('locationd'):>18}  "
        f"{row['ratio']:5.2f} ({min(row['ratios']):.2f}-{max(row['ratios']):.2f})  "
        f"{row['sizes']['floor']:.0f}/{row['sizes']['locationd']:.0f} B  "
        f"{row['p50'] * 1e3:.2f}/{row['p99'] * 1e3:.2f} ms")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=int, default=10, help="of one measurement")
    options.add_argument("--repetitions", type=int, default=5, help="measurements of each server")
    options.add_argument("--bar", type=float, default=1.5, help="the largest ratio allowed at 1,000 watches")
    options.add_argument("--json", action="store_true", help="print every figure as JSON too")
    options = options.parse_args()
    stage.allow_many_files()
    directory = stage.folder()
    programs = {name: stage.compiled(name, directory) for name in ("floor", "readers")}
    gpsd = ScriptedGPSD()
    daemon = stage.Daemon(options.daemon, gpsd, directory)
    (directory / "request").write_bytes(WATCH)
    message = directory / "message"
    message.write_bytes(sample(daemon, gpsd))
    print(stage.machine())
    print("watches    rate  floor us/message    locationd us/message  ratio            size        latency p50/p99")
    rows = []
    for watches, rate in SCENARIOS:
        rows.append(compare(
            programs, directory, Locationd(daemon, gpsd), message, watches, rate, options.seconds, options.repetitions))
        print(shown(rows[-1]), flush=True)
    print(stage.machine())
    if options.json:
        print(json.dumps(rows))
    if any(row["watches"] == 1000 and row["ratio"] > options.bar for row in rows):
        sys.exit(f"above {options.bar} times the floor at 1,000 watches")


if __name__ == "__main__":
    main()
