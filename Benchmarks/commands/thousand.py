#!/usr/bin/env python3
"""A thousand watches for a minute: no reading client loses a fix, one that does not read is disconnected, memory is stable.

Exits with 1 if one of these does not hold.
"""

import sys
import threading
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.client import WATCH, Client
from library.daemon import Daemon
from library.readers import Readers

# Growth of memory after the first quarter that counts as none, KiB.
ALLOWED_GROWTH = 1024


def observe(daemon, stalled, streaming, start):
    """Samples memory each second while fixes are sent. Returns the samples and when the stalled client was disconnected."""
    samples, disconnected = [], None
    while streaming.is_alive():
        samples.append((time.monotonic() - start, harness.resident_kib(daemon.pid)))
        for _ in range(10):
            streaming.join(0.1)
            if disconnected is None and stalled.is_closed_by_service():
                disconnected = time.monotonic() - start
    return samples, disconnected


def measure(options):
    """Returns the failures."""
    directory = harness.temporary_directory()
    # A short run has no time for the default timeout.
    stalled_timeout = 30 if options.seconds >= 50 else max(1, options.seconds // 4)
    gpsd = ScriptedGPSD()
    daemon = Daemon(options.daemon, gpsd, directory, stalled_timeout=stalled_timeout)
    (directory / "request").write_bytes(WATCH)
    idle = harness.resident_kib(daemon.pid)
    readers = Readers(
        harness.compile_program("readers", directory), daemon.path, options.watches, directory / "request")
    readers.wait_until_answered(options.watches)
    stalled = Client(daemon.path).watch()

    count = options.seconds * options.rate
    cpu, start = harness.cpu_seconds(daemon.pid), time.monotonic()
    streaming = threading.Thread(target=gpsd.stream, args=(options.rate, count), daemon=True)
    streaming.start()
    samples, disconnected = observe(daemon, stalled, streaming, start)
    report = readers.wait_for_locations(options.watches * count)
    cpu = harness.cpu_seconds(daemon.pid) - cpu
    final = harness.resident_kib(daemon.pid)

    early = max(size for moment, size in samples if moment <= options.seconds / 4)
    largest = max(size for _, size in samples)
    print(
        f"{options.watches} watches, {count} fixes at {options.rate} Hz: {report['least']} to {report['most']} each, "
        f"gaps {report['gaps']}, dropped {report['dropped']}, closed {report['closed']}")
    print(
        f"latency p50 {report['latency']['p50'] * 1e3:.2f} ms, p99 {report['latency']['p99'] * 1e3:.2f} ms, "
        f"max {report['latency']['max'] * 1e3:.2f} ms; CPU {100 * cpu / options.seconds:.1f} % of one core")
    outcome = f"disconnected after {disconnected:.1f} s" if disconnected else "still connected"
    print(f"the stalled client (timeout {stalled_timeout} s): {outcome}")
    print(
        f"memory KiB: idle {idle}, start {samples[0][1]}, first quarter {early}, largest {largest}, end {final} "
        f"({(samples[0][1] - idle) / options.watches:.1f} per watch)")

    failures = []
    if not report["least"] == report["most"] == count or report["received"] != options.watches * count:
        failures.append(f"of {count} fixes one watch got {report['least']}, another {report['most']}")
    failures += [f"{what}: {report[what]}" for what in ("gaps", "dropped", "closed") if report[what]]
    if disconnected is None or disconnected < stalled_timeout:
        failures.append(f"the stalled client: disconnected after {disconnected} s, timeout {stalled_timeout} s")
    if largest - early > ALLOWED_GROWTH:
        failures.append(f"memory grew by {largest - early} KiB after the first quarter")
    if daemon.process.poll() is not None:
        failures.append("the daemon ended")
    return failures


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="20 or more; below 50 the daemon's timeout is shorter")
    parser.add_argument("--watches", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=10, help="fixes per second")
    options = parser.parse_args()
    if options.seconds < 20:
        sys.exit("--seconds: a client's buffer takes ten seconds to fill at 10 Hz; take 20 or more")
    harness.raise_open_file_limit()
    print(harness.describe_machine())
    failures = measure(options)
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
