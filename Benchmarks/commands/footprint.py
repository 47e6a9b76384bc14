#!/usr/bin/env python3
"""What LocationKit adds to a program: size, time to start, processor and memory while nothing comes.

The program prints ten locations. It is built in a fresh package, for release, with Swift's libraries in it, and stripped;
it exports none of its names, see README.md.
Exits with 1 above 16 MB, above 10 ms (half of all starts), or if idling costs a measurable share of the processor.
"""

import argparse
import os
import pathlib
import socket
import subprocess
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from doubles.scripted_gpsd import ScriptedGPSD

REPOSITORY = stage.HERE.parent
# Its main thread waits by itself: an asynchronous `main` is woken each second by the runtime, whatever it awaits.
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
    name: "footprint", dependencies: [.package(path: "{REPOSITORY}")],
    targets: [
        .executableTarget(
            name: "ten", dependencies: [.product(name: "LocationKit", package: "{REPOSITORY.name.lower()}")],
            path: ".", sources: ["main.swift"])
    ])
"""
# More than a stray interrupt, less than a wake-up each second, seconds of processor time in ten.
ALLOWED_IDLE = 0.001


def built(directory):
    """The stripped program."""
    (directory / "Package.swift").write_text(PACKAGE)
    (directory / "main.swift").write_text(PROGRAM)
    build = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--package-path", directory]
    build += ["-Xlinker", "--no-export-dynamic"]
    subprocess.run(build, check=True, stdout=sys.stderr)
    subprocess.run(["strip", "-o", directory / "ten", directory / ".build/release/ten"], check=True)
    return directory / "ten"


def start(program, path, output=subprocess.DEVNULL):
    return subprocess.Popen([program], env=os.environ | {"LOCATIOND_SOCKET": str(path)}, stdout=output)


def times_to_call(program, directory, count):
    """Seconds from before the process is made until the service has its first call, sorted."""
    times = []
    path = directory / "listener.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        for _ in range(count):
            began = time.monotonic()
            process = start(program, path)
            connection, _ = listener.accept()
            connection.recv(1)
            times.append(time.monotonic() - began)
            process.kill()
            process.wait()
            connection.close()
    return sorted(times)


def idling(program, daemon, seconds):
    """Processor seconds, KiB and threads of the program while its receiver is silent."""
    process = start(program, daemon.path)
    time.sleep(2)
    before = stage.cpu_seconds(process.pid)
    time.sleep(seconds)
    spent = stage.cpu_seconds(process.pid) - before
    measures = spent, stage.resident_kib(process.pid), len(os.listdir(f"/proc/{process.pid}/task"))
    process.kill()
    process.wait()
    return measures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", type=pathlib.Path, default=stage.BUILT, help="the locationd to run")
    parser.add_argument("--program", type=pathlib.Path, help="a stripped program that is built already")
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=10, help="how long idling is measured")
    options = parser.parse_args()
    directory = stage.folder()
    program = options.program or built(directory)
    print(stage.machine())

    size = program.stat().st_size / 1e6
    print(f"size: {size:.2f} MB")
    times = times_to_call(program, directory, options.starts)
    half, most = stage.quantile(times, 0.5) * 1e3, stage.quantile(times, 0.99) * 1e3
    print(f"from start to the first call: p50 {half:.1f} ms, p99 {most:.1f} ms of {len(times)}")

    gpsd = ScriptedGPSD()
    daemon = stage.Daemon(options.daemon, gpsd, directory)
    spent, memory, threads = idling(program, daemon, options.seconds)
    print(f"idle: {spent * 1e3:.2f} ms of processor time in {options.seconds} s, {memory} KiB, {threads} threads")

    process = start(program, daemon.path, subprocess.PIPE)
    gpsd.stream(10, 20)
    lines = process.communicate(timeout=10)[0].splitlines()
    print(f"{len(lines)} locations printed, ended with {process.returncode}")

    holds = size < 16 and half < 10 and spent < ALLOWED_IDLE * options.seconds / 10
    sys.exit(0 if holds and len(lines) == 10 and process.returncode == 0 else 1)


if __name__ == "__main__":
    main()
