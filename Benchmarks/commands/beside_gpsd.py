#!/usr/bin/env python3
"""Clients of gpsd itself beside watches of locationd, which is then gpsd's only client, of one receiver at 10 Hz.

By turns; CPU time per delivered fix, and latency from the last byte of an epoch.
"""

import argparse
import statistics
import sys

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import WATCH, request
from doubles.learned_gpsd import WATCH as GPSD_WATCH
from doubles.learned_gpsd import LearnedGPSD
from library.moments import Moments
from doubles.nmea_receiver import Receiver
from library.trial import Trial

RATE = 10
# Clients, and whether the watches ask for the satellites too, as gpsd's clients get them unasked.
ROWS = [(1, False), (16, False), (60, False), (60, True)]
JUDGED = (60, False)
# How many times less CPU and p99 there are meant to be; README.md says why they are not yet.
COST_GOAL, LATE_GOAL = 4, 3
# locationd leaves gpsd alone as soon as nobody watches.
CONFIGURATION = "[delivery]\nlinger = 0.0\n"


class Scene:
    """The receiver, gpsd, locationd, and who reads from either."""

    def __init__(self, options, directory):
        self.moments = Moments(directory / "moments")
        self.receiver = Receiver(self.moments)
        self.gpsd = LearnedGPSD(self.receiver, directory)
        self.daemon = stage.Daemon(options.daemon, self.gpsd, directory, rest=CONFIGURATION)
        self.readers = stage.compiled("readers", directory)
        self.directory = directory
        for name, content in {
            "gpsd": GPSD_WATCH, "watch": WATCH,
            "sky": request("org.locationd.location.Watch", more=True, satellites=True),
        }.items():
            (directory / name).write_bytes(content)

    def clients_of_gpsd(self, count):
        readers = stage.Readers(
            self.readers, self.gpsd.port, count, self.directory / "gpsd", moments=self.moments)
        # Each is told the version, the devices and what it watches.
        readers.answered(3 * count)
        return readers

    def watches(self, count, kind="watch", path=None):
        """Of locationd, or of what serves at another path."""
        readers = stage.Readers(
            self.readers, path or self.daemon.path, count, self.directory / kind, moments=self.moments)
        readers.answered(count)
        return readers

    def trial(self, readers, clients, connected, seconds):
        """Measures gpsd and locationd while so many of gpsd's connections are in use."""
        self.gpsd.connected(connected)
        return Trial(self.receiver.run, [self.gpsd.pid, self.daemon.pid], readers, clients, RATE, seconds)


def compare(scene, clients, with_sky, options):
    """Runs both by turns; the trials of each, and the latency of every fix in all of them, seconds."""
    trials, latencies = {"gpsd": [], "locationd": []}, {"gpsd": [], "locationd": []}
    for turn in range(options.judged_repetitions if clients == JUDGED[0] else options.repetitions):
        for name in sorted(trials, reverse=turn % 2 == 1):
            if name == "gpsd":
                readers, connected = scene.clients_of_gpsd(clients), clients
            else:
                readers, connected = scene.watches(clients, "sky" if with_sky else "watch"), 1
            trials[name].append(scene.trial(readers, clients, connected, options.seconds))
            latencies[name] += [latency for _, latency in readers.samples()]
            readers.end()
            scene.gpsd.connected(0)
    return trials, latencies


def middle(trials, key):
    return statistics.median(key(trial) for trial in trials)


def figures(trials, latencies):
    """What is printed and judged: of CPU time medians, of latency p50, p99 and most, and the ratios of gpsd's to ours."""
    cost = {"gpsd": middle(trials["gpsd"], lambda t: t.costs[0])}
    cost["both"] = middle(trials["locationd"], lambda t: sum(t.costs))
    cost["alone"] = middle(trials["locationd"], lambda t: t.costs[1])
    late = {name: [stage.quantile(each, share) * 1e3 for share in (0.5, 0.99, 1)] for name, each in latencies.items()}
    return cost, late, cost["gpsd"] / cost["both"], late["gpsd"][1] / late["locationd"][1]


def shown(clients, with_sky, trials, row):
    cost, late, cheaper, sooner = row
    cells = [f"{'/'.join(f'{value:.2f}' for value in late[name]):>16}" for name in ("gpsd", "locationd")]
    extra = [t.again + t.others for t in (trials["gpsd"][0], trials["locationd"][0])]
    return (
        f"{clients:4}{' + sky' if with_sky else '':6} {cost['gpsd']:7.1f} {cost['both']:8.1f} {cost['alone']:7.1f} "
        f"{cheaper:6.1f} {cells[0]} {cells[1]} {sooner:6.1f}  {1 + extra[0]:.1f}/{1 + extra[1]:.1f}")


HEAD = """\
             CPU per delivered fix, us          latency p50/p99/most, ms              messages
clients       gpsd     both   ours  times             gpsd        locationd  times  per fix"""


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=float, default=5, help="of one measurement")
    options.add_argument("--repetitions", type=int, default=3, help="measurements of each")
    options.add_argument(
        "--judged-repetitions", type=int, default=21, help="the same at 60 clients: few are judged by chance")
    options.add_argument("--only", type=int, nargs="+", help="numbers of clients")
    options.add_argument("--cost-bar", type=float, default=1.5, help="how many times less CPU at least, at 60 clients")
    options.add_argument("--half-bar", type=float, default=1.5, help="how many times earlier the p50 at least, there")
    options = options.parse_args()
    scene = Scene(options, stage.folder())
    print(stage.machine())
    print(HEAD)
    broken = []
    for clients, with_sky in ROWS:
        if options.only and clients not in options.only:
            continue
        trials, latencies = compare(scene, clients, with_sky, options)
        row = figures(trials, latencies)
        print(shown(clients, with_sky, trials, row), flush=True)
        if (clients, with_sky) == JUDGED:
            _, late, cheaper, sooner = row
            half = late["gpsd"][0] / late["locationd"][0]
            for what, value, goal in ("CPU", cheaper, COST_GOAL), ("p99", sooner, LATE_GOAL):
                if value < goal:
                    print(f"goal missed: at {clients} clients {what} is {value:.1f} times less, not {goal}")
            for what, value, bar in ("CPU", cheaper, options.cost_bar), ("p50", half, options.half_bar):
                if value < bar:
                    broken.append(f"at {clients} clients {what} is {value:.1f} times less, not {bar}")
    print(stage.machine())
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
