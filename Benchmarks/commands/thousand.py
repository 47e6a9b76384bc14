#!/usr/bin/env python3
"""Many watches for a while: nobody who reads loses a fix, whoever does not is let go, and memory stays as it is.

Exits with 1 if one of these promises is broken.
"""

import argparse
import sys
import threading
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import WATCH, Client
from doubles.scripted_gpsd import ScriptedGPSD

# Growth of memory after the first quarter that still counts as none, KiB.
ALLOWED_GROWTH = 1024


def observe(daemon, stalled, streaming, started):
    """Samples memory each second while the fixes flow; notes when the stalled client is let go."""
    samples, let_go = [], None
    while streaming.is_alive():
        samples.append((time.monotonic() - started, stage.resident_kib(daemon.pid)))
        for _ in range(10):
            streaming.join(0.1)
            if let_go is None and stalled.is_let_go():
                let_go = time.monotonic() - started
    return samples, let_go


def soak(options):
    """Returns the promises that were broken."""
    directory = stage.folder()
    # A short run cannot wait for the patience a service has.
    patience = 30 if options.seconds >= 50 else max(1, options.seconds // 4)
    gpsd = ScriptedGPSD()
    daemon = stage.Daemon(options.daemon, gpsd, directory, stalled_timeout=patience)
    (directory / "request").write_bytes(WATCH)
    idle = stage.resident_kib(daemon.pid)
    readers = stage.Readers(stage.compiled("readers", directory), daemon.path, options.watches, directory / "request")
    readers.answered(options.watches)
    stalled = Client(daemon.path).watch()

    count = options.seconds * options.rate
    spent, started = stage.cpu_seconds(daemon.pid), time.monotonic()
    streaming = threading.Thread(target=gpsd.stream, args=(options.rate, count), daemon=True)
    streaming.start()
    samples, let_go = observe(daemon, stalled, streaming, started)
    books = readers.awaited(options.watches * count)
    spent = stage.cpu_seconds(daemon.pid) - spent
    final = stage.resident_kib(daemon.pid)

    early = max(size for moment, size in samples if moment <= options.seconds / 4)
    largest = max(size for _, size in samples)
    print(
        f"{options.watches} watches, {count} fixes at {options.rate} Hz: {books['least']} to {books['most']} each, "
        f"gaps {books['gaps']}, dropped {books['dropped']}, closed {books['closed']}")
    print(
        f"latency p50 {books['latency']['p50'] * 1e3:.2f} ms, p99 {books['latency']['p99'] * 1e3:.2f} ms, "
        f"most {books['latency']['most'] * 1e3:.2f} ms; CPU {100 * spent / options.seconds:.1f} % of one core")
    fate = f"let go after {let_go:.1f} s" if let_go else "still there"
    print(f"the stalled client (patience {patience} s): {fate}")
    print(
        f"memory KiB: idle {idle}, start {samples[0][1]}, first quarter {early}, largest {largest}, end {final} "
        f"({(samples[0][1] - idle) / options.watches:.1f} per watch)")

    broken = []
    if not books["least"] == books["most"] == count or books["received"] != options.watches * count:
        broken.append(f"of {count} fixes one watch got {books['least']}, another {books['most']}")
    broken += [f"{what}: {books[what]}" for what in ("gaps", "dropped", "closed") if books[what]]
    if let_go is None or let_go < patience:
        broken.append(f"the stalled client: let go after {let_go} s, patience {patience} s")
    if largest - early > ALLOWED_GROWTH:
        broken.append(f"memory grew by {largest - early} KiB after the first quarter")
    if daemon.process.poll() is not None:
        broken.append("the daemon ended")
    return broken


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=int, default=60, help="20 or more; below 50 the daemon has less patience")
    options.add_argument("--watches", type=int, default=1000)
    options.add_argument("--rate", type=int, default=10, help="fixes per second")
    options = options.parse_args()
    if options.seconds < 20:
        sys.exit("--seconds: a client's buffer takes ten seconds to fill at 10 Hz; take 20 or more")
    stage.allow_many_files()
    print(stage.machine())
    broken = soak(options)
    print(stage.machine())
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
