#!/usr/bin/env python3
"""What the way through locationd adds for one client, and what the least program of the same threads adds.

gpsd's own client and a watch see the same epochs of one receiver at the same time; each epoch's latencies are subtracted.
"""

import argparse
import sys

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from commands.beside_gpsd import RATE, Scene

# What the differences of locationd are meant to be, microseconds; README.md says why they are not yet.
GOALS = {0.5: 150, 0.99: 500}
# Between gpsd and the client, and which of the two connects to gpsd first, and so is served first.
ROWS = [(way, order) for order in (("gpsd", "way"), ("way", "gpsd")) for way in ("locationd", "relay")]


def latencies(scene, relay, way, order, seconds):
    """By slot, the latency of each epoch for gpsd's client and for the other one, who connect in this order."""
    readers = {}
    for name in order:
        if name == "gpsd":
            readers[name] = scene.clients_of_gpsd(1)
        else:
            readers[name] = scene.watches(1, path=relay if way == "relay" else None)
        scene.gpsd.connected(len(readers))
    samples = {}
    for count in (10, int(seconds * RATE)):
        before = {name: books.report(fresh=True)["received"] for name, books in readers.items()}
        scene.receiver.run(RATE, count)
        for name, books in readers.items():
            books.awaited(before[name] + count)
            samples[name] = dict(books.samples())
    for books in readers.values():
        books.end()
    scene.gpsd.connected(0)
    if len(samples["gpsd"]) != count or samples["gpsd"].keys() != samples["way"].keys():
        sys.exit(f"of {count} epochs gpsd's client read {len(samples['gpsd'])}, the {way}'s {len(samples['way'])}")
    return samples["gpsd"], samples["way"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=float, default=10, help="of one measurement")
    options.add_argument("--repetitions", type=int, default=2, help="measurements of each order")
    options.add_argument("--half-bar", type=float, default=450, help="the p50 of the difference allowed, us")
    options.add_argument("--late-bar", type=float, default=1500, help="the p99 of the difference allowed, us")
    options = options.parse_args()
    directory = stage.folder()
    scene = Scene(options, directory)
    relay = str(directory / "relay.sock")
    stage.Child(stage.compiled("relay", directory, "-pthread"), scene.gpsd.port, relay)
    runs = {row: [] for row in ROWS}
    print(stage.machine())
    for turn in range(options.repetitions):
        for row in ROWS:
            runs[row].append(latencies(scene, relay, *row, options.seconds))
    print("microseconds, p50/p99/most")
    print("way        first      epochs        gpsd's client       by the way           difference")
    broken = []
    for (way, order), pairs in runs.items():
        direct = [latency for pair in pairs for latency in pair[0].values()]
        ours = [latency for pair in pairs for latency in pair[1].values()]
        added = [pair[1][slot] - latency for pair in pairs for slot, latency in pair[0].items()]

        def cell(values):
            return "/".join(f"{stage.quantile(values, share) * 1e6:.0f}" for share in (0.5, 0.99, 1))

        first = "gpsd's" if order[0] == "gpsd" else way
        print(f"{way:10} {first:10} {len(added):6} {cell(direct):>20} {cell(ours):>16} {cell(added):>20}")
        for share, bar in (0.5, options.half_bar), (0.99, options.late_bar):
            value = stage.quantile(added, share) * 1e6
            if way != "locationd":
                continue
            what = f"{first} first: p{100 * share:.0f} of {value:.0f} us"
            if value > GOALS[share]:
                print(f"goal missed: {what}, not {GOALS[share]}")
            if value > bar:
                broken.append(f"{what}, at most {bar:.0f} is allowed")
    print(stage.machine())
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
