#!/usr/bin/env python3
"""What LocationKit adds to a program: size, time to start, CPU time and memory while no location arrives.

The program prints ten locations. It is built for release in a package of its own, with Swift's libraries linked statically,
and stripped. It exports no symbols; README.md says why.
Exits with 1 above 16 MB, above 10 ms until the first call (half of all starts), or if idling costs measurable CPU time.
"""

import os
import pathlib
import socket
import subprocess
import sys
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.daemon import Daemon

# The main thread waits on a semaphore: the runtime wakes an asynchronous `main` each second, whatever it awaits.
PROGRAM = """
import Dispatch
import LocationKit

let manager = LocationManager()
let printed = DispatchSemaphore(value: 0)
let printer = Observer<Location> { location in
    print(location.coordinate.latitude, location.coordinate.longitude)
    printed.signal()
}
manager.addObserver(printer)
manager.startUpdating()
for _ in 1...10 { printed.wait() }
manager.removeObserver(printer)
"""
PACKAGE = f"""// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "footprint", dependencies: [.package(path: "{harness.REPOSITORY}")],
    targets: [
        .executableTarget(
            name: "ten",
            dependencies: [.product(name: "LocationKit", package: "{harness.REPOSITORY.name.lower()}")],
            path: ".", sources: ["main.swift"])
    ])
"""
# CPU seconds in ten seconds: more than a stray interrupt, less than a wake-up each second.
ALLOWED_IDLE = 0.001


def build_program(directory):
    """The path of the stripped program."""
    (directory / "Package.swift").write_text(PACKAGE)
    (directory / "main.swift").write_text(PROGRAM)
    build = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--package-path", directory]
    build += ["-Xlinker", "--no-export-dynamic"]
    subprocess.run(build, check=True, stdout=sys.stderr)
    subprocess.run(["strip", "-o", directory / "ten", directory / ".build/release/ten"], check=True)
    return directory / "ten"


def start_program(program, path, output=subprocess.DEVNULL):
    return subprocess.Popen([program], env=os.environ | {"LOCATIOND_SOCKET": str(path)}, stdout=output)


def times_to_first_call(program, directory, count):
    """Seconds from before the process is made until its first call arrives at the service, for each start."""
    times = []
    path = directory / "listener.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        for _ in range(count):
            start = time.monotonic()
            process = start_program(program, path)
            connection, _ = listener.accept()
            connection.recv(1)
            times.append(time.monotonic() - start)
            process.kill()
            process.wait()
            connection.close()
    return times


def measure_idle(program, daemon, seconds):
    """CPU seconds, KiB and threads of the program while its receiver is silent."""
    process = start_program(program, daemon.path)
    time.sleep(2)
    cpu = harness.cpu_seconds(process.pid)
    time.sleep(seconds)
    cpu = harness.cpu_seconds(process.pid) - cpu
    measures = cpu, harness.resident_kib(process.pid), len(os.listdir(f"/proc/{process.pid}/task"))
    process.kill()
    process.wait()
    return measures


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--program", type=pathlib.Path, help="a stripped program that is built already")
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=10, help="how long idling is measured")
    options = parser.parse_args()
    directory = harness.temporary_directory()
    program = options.program or build_program(directory)
    print(harness.describe_machine())

    size = program.stat().st_size / 1e6
    print(f"size: {size:.2f} MB")
    times = times_to_first_call(program, directory, options.starts)
    p50, p99 = harness.quantile(times, 0.5) * 1e3, harness.quantile(times, 0.99) * 1e3
    print(f"from start to the first call: p50 {p50:.1f} ms, p99 {p99:.1f} ms of {len(times)}")

    gpsd = ScriptedGPSD()
    daemon = Daemon(options.daemon, gpsd, directory)
    cpu, memory, threads = measure_idle(program, daemon, options.seconds)
    print(f"idle: {cpu * 1e3:.2f} ms of CPU time in {options.seconds} s, {memory} KiB, {threads} threads")

    process = start_program(program, daemon.path, subprocess.PIPE)
    gpsd.stream(10, 20)
    lines = process.communicate(timeout=10)[0].splitlines()
    print(f"{len(lines)} locations printed, ended with {process.returncode}")

    is_within_limits = size < 16 and p50 < 10 and cpu < ALLOWED_IDLE * options.seconds / 10
    sys.exit(0 if is_within_limits and len(lines) == 10 and process.returncode == 0 else 1)


if __name__ == "__main__":
    main()
