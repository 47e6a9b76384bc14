#!/usr/bin/env python3
"""CPU time and latency of an update: locationd with gpsd beside Debian's GeoClue, both given the same sentences.

Exits with 1 if a client misses a position, or if locationd and gpsd together cost more than GeoClue and its bus, more than
a quarter of that from ten clients on, or are later (for half of the updates, and from ten clients on for 99 %).
"""

import json
import os
import socket
import statistics
import sys
import time

import import_path  # Makes the packages below importable.
from doubles import geoclue
from doubles.real_gpsd import GPSD
from library import harness
from library.daemon import Daemon
from library.terminal import Terminal

CLIENTS = (1, 10, 30)
WARM_UP = 6


class NMEASocket:
    """The socket from which GeoClue reads a receiver's sentences."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        os.chmod(path, 0o666)
        self.reader, self.path = None, path

    def wait_until_opened(self):
        """Returns once GeoClue has connected, which it does when it has clients."""
        self.listener.settimeout(30)
        self.reader, _ = self.listener.accept()

    def write(self, data):
        self.reader.sendall(data)

    def wait_until_closed(self):
        """Returns once GeoClue has closed the connection. If it were closed here, GeoClue would not connect again."""
        self.reader.settimeout(30)
        while self.reader.recv(4096):
            pass
        self.reader.close()


class Service:
    """What is measured: its processes, the address for its clients, and its receiver."""

    def __init__(self, name, address, processes, receiver):
        self.name, self.address, self.processes, self.receiver = name, address, processes, receiver

    def cpu_seconds(self):
        return {name: harness.cpu_seconds(pid) for name, pid in self.processes.items()}


class Measurement:
    """Measures the services. Epochs are numbered throughout, so that no position occurs twice."""

    def __init__(self, program, options):
        self.program, self.options, self.next = program, options, 1

    def feed(self, service, count):
        """Writes so many epochs. Returns the moment of each one's last byte, by its number."""
        written = {}
        start = time.monotonic()
        for n in range(count):
            time.sleep(max(0, start + n / self.options.rate - time.monotonic()))
            service.receiver.write(geoclue.numbered_epoch(self.next))
            written[self.next] = time.monotonic()
            self.next += 1
        time.sleep(1)
        return written

    def start_clients(self, service, clients):
        """Returns once the service has opened its receiver for them."""
        child = harness.ChildProgram(self.program, service.name, service.address, clients)
        if isinstance(service.receiver, NMEASocket):
            service.receiver.wait_until_opened()
        else:
            self.wait_for_gpsd(service, child)
        return child

    def wait_for_gpsd(self, service, child):
        """gpsd takes some seconds to open a receiver and to detect its type."""
        for _ in range(30):
            self.feed(service, self.options.rate)
            if child.query("report"):
                return
        sys.exit("gpsd reports no position of its receiver")

    def run(self, service, clients):
        """Microseconds of CPU time per update, by process, and the latencies of all updates, seconds."""
        child = self.start_clients(service, clients)
        self.feed(service, WARM_UP)
        child.query("report")
        before = service.cpu_seconds()
        written = self.feed(service, self.options.seconds * self.options.rate)
        after = service.cpu_seconds()
        read = {}
        for client, latitude, moment in child.query("report"):
            read.setdefault((client, geoclue.epoch_number(latitude)), moment)
        child.stop()
        if isinstance(service.receiver, NMEASocket):
            service.receiver.wait_until_closed()
        missed = [(client, n) for client in range(clients) for n in written if (client, n) not in read]
        count = clients * len(written)
        if missed:
            sys.exit(f"{service.name}: {len(missed)} of {count} updates did not arrive: {missed[:5]}")
        costs = {name: (after[name] - before[name]) / count * 1e6 for name in after}
        return costs, [read[client, n] - written[n] for client in range(clients) for n in written]


def print_row(clients, name, rows):
    """Prints one line of the table and returns the medians of CPU time, p50 and p99."""
    sums = [sum(costs.values()) for costs, _ in rows]
    parts = " + ".join(
        f"{process} {statistics.median(costs[process] for costs, _ in rows):.0f}" for process in rows[0][0])
    p50, p99 = (
        statistics.median(harness.quantile(latencies, share) for _, latencies in rows) * 1e3 for share in (0.5, 0.99))
    print(f"{clients:7}  {name:9}  {statistics.median(sums):7.0f} ({min(sums):.0f}-{max(sums):.0f})"
          f"  {parts:38}  {p50:6.2f} / {p99:6.2f}", flush=True)
    return statistics.median(sums), p50, p99


def judge(clients, geoclue_figures, our_figures):
    """Yields failures. A single client bears the whole cost of a fix, and has too few updates for a p99."""
    (their_cost, their_p50, their_p99), (cost, p50, p99) = geoclue_figures, our_figures
    if cost > their_cost / (4 if clients >= 10 else 1):
        yield f"{clients} clients: too much CPU time beside GeoClue"
    if p50 > their_p50 or clients >= 10 and p99 > their_p99:
        yield f"{clients} clients: later than GeoClue"


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of one measurement")
    parser.add_argument("--rate", type=int, default=2, help="positions a second")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each service")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON too")
    options = parser.parse_args()
    harness.require_root()
    geoclue.require_programs("gpsd", "dbus-daemon", geoclue.PROGRAM, geoclue.AGENT)
    directory = harness.temporary_directory()
    program = geoclue.compile_updates(directory)

    receiver = Terminal()
    gpsd = GPSD(directory, receiver)
    gpsd.wait_until_listening()
    daemon = Daemon(options.daemon, gpsd, directory)
    bus, nmea = geoclue.Bus(directory), NMEASocket(directory / "nmea.sock")
    process = geoclue.GeoClue(bus, directory, nmea.path)
    # Returns when GeoClue is on the bus.
    harness.ChildProgram(program, "geoclue", bus.address, 0).stop()
    geoclue.start_agent(bus)
    services = [
        Service("geoclue", bus.address, {"geoclue": process.pid, "dbus-daemon": bus.pid}, nmea),
        Service("locationd", daemon.path, {"locationd": daemon.pid, "gpsd": gpsd.pid}, receiver),
    ]

    print(harness.describe_machine())
    print(f"{options.rate} positions a second")
    print("clients  service    CPU us/update    of which                                last byte -> read, ms p50/p99")
    measurement, failures, figures = Measurement(program, options), [], []
    for clients in CLIENTS:
        rows = {service.name: [] for service in services}
        for turn in range(options.repetitions):
            for service in services[::-1 if turn % 2 else 1]:
                rows[service.name].append(measurement.run(service, clients))
        theirs, ours = (print_row(clients, service.name, rows[service.name]) for service in services)
        print(f"{'':7}  GeoClue's is {theirs[0] / ours[0]:.1f} times locationd's and gpsd's")
        figures.append({"clients": clients, **rows})
        failures += judge(clients, theirs, ours)
    print(harness.describe_machine())
    if options.json:
        print(json.dumps(figures))
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
