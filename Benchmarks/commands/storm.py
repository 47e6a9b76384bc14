#!/usr/bin/env python3
"""The cost of clients that change their persistent regions as fast as they can.

Each client changes one region of its own, over and over, beside many regions that do not change; each change is answered
once it is on the disk. The figures are printed and not judged.
"""

import pathlib
import threading
import time

import import_path  # Makes the packages below importable.
from library import harness
from library.client import Client
from library.daemon import Daemon


def circle(identifier, shift=0):
    """A region as it is sent."""
    return {"identifier": identifier, "center": {"latitude": 52 + shift, "longitude": 13}, "radius": 200}


def create_monitor(path, name, count):
    """Creates a persistent monitor with so many regions besides the one that is changed."""
    with Client(path) as client:
        client.call("org.locationd.location.Monitor", more=True, name=name, regions=[circle("first")])
    with Client(path) as client:
        for begin in range(0, count, 200):
            regions = [circle(f"{name} {number}") for number in range(begin, min(begin + 200, count))]
            reply = client.call("org.locationd.location.ChangeRegions", name=name, add=regions)
            if "error" in reply:
                raise RuntimeError(f"the regions were not added: {reply}")


def change_regions(path, name, end, durations):
    """Changes the region until the time is over; appends the duration of each call."""
    with Client(path) as client:
        while (start := time.monotonic()) < end:
            shift = len(durations) % 1000 / 1000
            reply = client.call("org.locationd.location.ChangeRegions", name=name, add=[circle("first", shift)])
            if "error" in reply:
                raise RuntimeError(f"the region was not changed: {reply}")
            durations.append(time.monotonic() - start)


def written_bytes(pid):
    """Bytes the process has written."""
    entries = dict(line.split(": ") for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(entries["wchar"])


def measure(daemon, clients, seconds):
    """Prints one line of the table."""
    end = time.monotonic() + seconds
    durations = [[] for _ in range(clients)]
    threads = [
        threading.Thread(target=change_regions, args=(daemon.path, f"storm {number}", end, durations[number]))
        for number in range(clients)]
    cpu, written, start = harness.cpu_seconds(daemon.pid), written_bytes(daemon.pid), time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cpu, written = harness.cpu_seconds(daemon.pid) - cpu, written_bytes(daemon.pid) - written
    elapsed = time.monotonic() - start
    calls = [duration * 1000 for each in durations for duration in each]
    print(
        f"| {clients} | {len(calls) / elapsed:.0f} | {cpu / elapsed:.0%} | {cpu / len(calls) * 1e6:.0f} | "
        f"{written / elapsed / 1e6:.1f} | {harness.quantile(calls, 0.5):.1f} | {harness.quantile(calls, 0.99):.1f} |")


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--regions", type=int, default=2000, help="how many do not change")
    parser.add_argument("--seconds", type=float, default=5, help="for each number of clients")
    options = parser.parse_args()
    print(harness.describe_machine())
    daemon = Daemon(
        options.daemon, None, harness.temporary_directory(), configuration="requests-per-second = 10000.0\n")
    for number in range(max(1, options.regions // 500)):
        create_monitor(daemon.path, f"quiet {number}", min(500, options.regions))
    print(f"beside {options.regions} regions\n")
    print("| clients | answers/s | CPU | µs an answer | MB/s written | call: p50, ms | p99, ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for clients in 1, 4, 16:
        for number in range(clients):
            create_monitor(daemon.path, f"storm {number}", 0)
        measure(daemon, clients, options.seconds)
    print(f"\n{harness.describe_machine()}")
    daemon.stop()


if __name__ == "__main__":
    main()
