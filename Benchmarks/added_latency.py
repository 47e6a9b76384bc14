#!/usr/bin/env python3
"""What the way through locationd adds for one client.

gpsd's own client and a watch see the same epochs of one receiver at the same time; each epoch's latencies are subtracted.
"""

import argparse
import sys

import stage
from beside_gpsd import RATE, Scene

ORDERS = {"gpsd's client": ("gpsd", "watch"), "locationd": ("watch", "gpsd")}


def latencies(scene, order, seconds):
    """By slot, the latency of each epoch for gpsd's client and for the watch, who connect in this order."""
    readers = {}
    for name in order:
        readers[name] = scene.clients_of_gpsd(1) if name == "gpsd" else scene.watches(1)
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
    if len(samples["gpsd"]) != count or samples["gpsd"].keys() != samples["watch"].keys():
        sys.exit(f"of {count} epochs gpsd's client read {len(samples['gpsd'])}, the watch {len(samples['watch'])}")
    return samples["gpsd"], samples["watch"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=float, default=10, help="of one measurement")
    options.add_argument("--repetitions", type=int, default=2, help="measurements of each order")
    options.add_argument("--half-bar", type=float, default=150, help="the p50 of the difference allowed, us")
    options.add_argument("--late-bar", type=float, default=500, help="the p99 of the difference allowed, us")
    options = options.parse_args()
    scene = Scene(options, stage.folder())
    runs = {first: [] for first in ORDERS}
    print(stage.machine())
    for turn in range(options.repetitions):
        for first, order in ORDERS.items():
            runs[first].append(latencies(scene, order, options.seconds))
    print("microseconds, p50/p99/most")
    print("served first       epochs        gpsd's client            the watch           difference")
    broken = []
    for first, pairs in runs.items():
        direct = [latency for pair in pairs for latency in pair[0].values()]
        ours = [latency for pair in pairs for latency in pair[1].values()]
        added = [pair[1][slot] - latency for pair in pairs for slot, latency in pair[0].items()]

        def cell(values):
            return "/".join(f"{stage.quantile(values, share) * 1e6:.0f}" for share in (0.5, 0.99, 1))

        print(f"{first:16} {len(added):8} {cell(direct):>20} {cell(ours):>20} {cell(added):>20}")
        for share, bar in (0.5, options.half_bar), (0.99, options.late_bar):
            if (value := stage.quantile(added, share) * 1e6) > bar:
                broken.append(f"{first} first: p{100 * share:.0f} of {value:.0f} us, at most {bar:.0f} is meant to be")
    print(stage.machine())
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
