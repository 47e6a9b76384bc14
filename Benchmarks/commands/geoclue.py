#!/usr/bin/env python3
"""CPU time and latency of an update: locationd behind gpsd beside Debian's GeoClue, fed the same sentences by turns.

Exits with 1 if a client misses a position, or if locationd and gpsd together cost more than GeoClue and its bus, than a
quarter of that from ten clients on, or take longer (half of the updates, and from ten clients on 99 % of them).
"""

import argparse
import json
import os
import socket
import statistics
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from doubles import geoclue as neighbours
from library import harness as stage
from doubles.real_gpsd import GPSD
from library.terminal import Terminal

CLIENTS = (1, 10, 30)
WARM_UP = 6


class Wire:
    """The socket at which GeoClue reads a receiver's sentences."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        os.chmod(path, 0o666)
        self.reader, self.path = None, path

    def opened(self):
        """Returns once GeoClue is connected, which it is while it has clients."""
        self.listener.settimeout(30)
        self.reader, _ = self.listener.accept()

    def write(self, data):
        self.reader.sendall(data)

    def closed(self):
        """Returns once GeoClue has hung up; hung up on, it does not come back."""
        self.reader.settimeout(30)
        while self.reader.recv(4096):
            pass
        self.reader.close()


class Service:
    """What serves, what its clients connect to, and what it hears."""

    def __init__(self, name, address, processes, receiver):
        self.name, self.address, self.processes, self.receiver = name, address, processes, receiver

    def spent(self):
        return {name: stage.cpu_seconds(pid) for name, pid in self.processes.items()}


def readers(program, service, clients):
    """Clients that watch, once the service has its receiver open."""
    child = stage.Child(program, service.name, service.address, clients)
    if isinstance(service.receiver, Wire):
        service.receiver.opened()
    return child


def feed(service, begin, count, rate):
    """Writes so many epochs and returns the moment of each one's last byte by its number."""
    written = {}
    start = time.monotonic()
    for n in range(count):
        time.sleep(max(0, start + n / rate - time.monotonic()))
        data = neighbours.epoch(begin + n)
        service.receiver.write(data)
        written[begin + n] = time.monotonic()
    time.sleep(1)
    return written


class Run:
    """Numbers go up all the time, so that no position comes twice."""

    def __init__(self, program, options):
        self.program, self.options, self.next = program, options, 1

    def feed(self, service, count):
        self.next += count
        return feed(service, self.next - count, count, self.options.rate)

    def measure(self, service, clients):
        """Microseconds per update by process, and latencies of all updates, seconds."""
        child = readers(self.program, service, clients)
        if service.name == "locationd":
            self.awaken(service, child)
        self.feed(service, WARM_UP)
        child.ask("report")
        before = service.spent()
        written = self.feed(service, self.options.seconds * self.options.rate)
        after = service.spent()
        read = {}
        for client, latitude, moment in child.ask("report"):
            read.setdefault((client, neighbours.number(latitude)), moment)
        child.end()
        if isinstance(service.receiver, Wire):
            service.receiver.closed()
        missed = [(client, n) for client in range(clients) for n in written if (client, n) not in read]
        if missed:
            sys.exit(f"{service.name}: {len(missed)} of {clients * len(written)} updates never came: {missed[:5]}")
        count = clients * len(written)
        costs = {name: (after[name] - before[name]) / count * 1e6 for name in after}
        return costs, [read[client, n] - written[n] for client in range(clients) for n in written]

    def awaken(self, service, child):
        """gpsd takes some seconds to open a receiver and to find out what it is."""
        for _ in range(30):
            self.feed(service, self.options.rate)
            if child.ask("report"):
                return
        sys.exit("gpsd tells no position of its receiver")


def shown(clients, name, rows):
    """One line of the table, the sums first."""
    sums = [sum(costs.values()) for costs, _ in rows]
    parts = " + ".join(
        f"{process} {statistics.median(costs[process] for costs, _ in rows):.0f}" for process in rows[0][0])
    half, most = (statistics.median(stage.quantile(more, share) for _, more in rows) * 1e3 for share in (0.5, 0.99))
    print(f"{clients:7}  {name:9}  {statistics.median(sums):7.0f} ({min(sums):.0f}-{max(sums):.0f})"
          f"  {parts:38}  {half:6.2f} / {most:6.2f}", flush=True)
    return statistics.median(sums), half, most


def faults(clients, theirs, ours):
    """What misses a bar. One client shares the price of a fix with nobody, and makes too few updates for a p99."""
    if ours[0] > theirs[0] / (4 if clients >= 10 else 1):
        yield f"{clients} clients: too much CPU time beside GeoClue"
    if ours[1] > theirs[1] or clients >= 10 and ours[2] > theirs[2]:
        yield f"{clients} clients: later than GeoClue"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    parser.add_argument("--seconds", type=int, default=10, help="of one measurement")
    parser.add_argument("--rate", type=int, default=2, help="positions a second")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each service")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON too")
    options = parser.parse_args()
    stage.need_root()
    neighbours.needed("gpsd", "dbus-daemon", "/usr/libexec/geoclue", "/usr/libexec/geoclue-2.0/demos/agent")
    directory = stage.folder()
    program = neighbours.compiled_updates(directory)

    receiver = Terminal()
    gpsd = GPSD(directory, receiver)
    gpsd.answered()
    daemon = stage.Daemon(options.daemon, gpsd, directory)
    bus, wire = neighbours.Bus(directory), Wire(directory / "nmea.sock")
    geoclue = neighbours.GeoClue(bus, directory, wire.path)
    stage.Child(program, "geoclue", bus.address, 0).end()
    neighbours.agent(bus)
    services = [
        Service("geoclue", bus.address, {"geoclue": geoclue.pid, "dbus-daemon": bus.pid}, wire),
        Service("locationd", daemon.path, {"locationd": daemon.pid, "gpsd": gpsd.pid}, receiver),
    ]

    print(stage.machine())
    print(f"{options.rate} positions a second")
    print("clients  service    CPU us/update    of which                                last byte -> read, ms p50/p99")
    run, broken, figures = Run(program, options), [], []
    for clients in CLIENTS:
        rows = {service.name: [] for service in services}
        for turn in range(options.repetitions):
            for service in services[::-1 if turn % 2 else 1]:
                rows[service.name].append(run.measure(service, clients))
        theirs, ours = (shown(clients, service.name, rows[service.name]) for service in services)
        print(f"{'':7}  GeoClue's is {theirs[0] / ours[0]:.1f} times locationd's and gpsd's")
        figures.append({"clients": clients, **rows})
        broken += faults(clients, theirs, ours)
    print(stage.machine())
    if options.json:
        print(json.dumps(figures))
    if broken:
        sys.exit("; ".join(broken))


if __name__ == "__main__":
    main()
