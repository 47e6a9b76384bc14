#!/usr/bin/env python3
"""What it costs that clients change their kept regions as fast as they can.

Clients change a region of their own each, over and over, beside so many regions that nobody changes; each change is
answered once it is kept. It prints, it does not judge.
"""

import argparse
import pathlib
import threading
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import Client


def region(name, shift=0):
    """A circle, as the wire has it."""
    return {"identifier": name, "center": {"latitude": 52 + shift, "longitude": 13}, "radius": 200}


def kept(path, name, count):
    """A monitor with so many regions is kept under the name."""
    client = Client(path)
    client.call("org.locationd.location.Monitor", more=True, name=name, regions=[region("first")])
    client.close()
    client = Client(path)
    for begin in range(0, count, 200):
        regions = [region(f"{name} {number}") for number in range(begin, min(begin + 200, count))]
        answer = client.call("org.locationd.location.ChangeRegions", name=name, add=regions)
        if "error" in answer:
            raise RuntimeError(f"not kept: {answer}")
    client.close()


def change(path, name, end, waits):
    """Changes the region until the time is over; notes how long each answer took."""
    client = Client(path)
    while (began := time.monotonic()) < end:
        shift = len(waits) % 1000 / 1000
        answer = client.call("org.locationd.location.ChangeRegions", name=name, add=[region("first", shift)])
        if "error" in answer:
            raise RuntimeError(f"refused: {answer}")
        waits.append(time.monotonic() - began)
    client.close()


def written(pid):
    """Bytes the process has written."""
    entries = dict(line.split(": ") for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(entries["wchar"])


def storm(daemon, clients, seconds):
    """One line of the table."""
    end = time.monotonic() + seconds
    waits = [[] for _ in range(clients)]
    threads = [
        threading.Thread(target=change, args=(daemon.path, f"storm {number}", end, waits[number]))
        for number in range(clients)]
    cpu, disk, began = stage.cpu_seconds(daemon.pid), written(daemon.pid), time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cpu, disk, spent = stage.cpu_seconds(daemon.pid) - cpu, written(daemon.pid) - disk, time.monotonic() - began
    times = [wait * 1000 for each in waits for wait in each]
    print(
        f"| {clients} | {len(times) / spent:.0f} | {cpu / spent:.0%} | {cpu / len(times) * 1e6:.0f} | "
        f"{disk / spent / 1e6:.1f} | {stage.quantile(times, 0.5):.1f} | {stage.quantile(times, 0.99):.1f} |")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--regions", type=int, default=2000, help="how many nobody changes")
    options.add_argument("--seconds", type=float, default=5, help="for each number of clients")
    options = options.parse_args()
    print(stage.machine())
    daemon = stage.Daemon(options.daemon, None, stage.folder(), rest="requests-per-second = 10000.0\n")
    for number in range(max(1, options.regions // 500)):
        kept(daemon.path, f"quiet {number}", min(500, options.regions))
    print(f"beside {options.regions} regions\n")
    print("| clients | answers/s | CPU | µs an answer | MB/s written | wait: half, ms | 99 %, ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for clients in 1, 4, 16:
        for number in range(clients):
            kept(daemon.path, f"storm {number}", 0)
        storm(daemon, clients, options.seconds)
    print(f"\n{stage.machine()}")
    daemon.end()


if __name__ == "__main__":
    main()
