#!/usr/bin/env python3
"""What waiting costs: memory with nobody and with many watching, wake-ups, start, size; beside gpsd and GeoClue.

Exits with 1 if a watch takes more than 8 KiB (of 1,000 and of 8,000), if the daemon wakes up for anything but the
watchdog while nobody watches or everybody is passive, or if half of its starts take more than 50 ms.
"""

import argparse
import atexit
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from doubles import geoclue as neighbours
from library import harness as stage
from library.client import WATCH, request
from doubles.real_gpsd import GPSD, PATH
from doubles.scripted_gpsd import ScriptedGPSD

WATCHES = (100, 1000, 8000)
PASSIVE = request("org.locationd.location.Watch", more=True, passive=True)
# What systemd is to hear, seconds: WatchdogSec= of the unit.
WATCHDOG = 30
BAR_KIB, BAR_START = 8, 0.05
# Longer than the linger and than it takes to forget what began it all.
SETTLING = 8
RELEASED = stage.HERE.parent / ".build" / "package" / "locationd"


def switches(pid):
    """How often each thread of a process has waited, and how often it was interrupted."""
    counts = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        entries = dict(entry.split(":", 1) for entry in (task / "status").read_text().splitlines())
        counts[task.name] = int(entries["voluntary_ctxt_switches"]), int(entries["nonvoluntary_ctxt_switches"])
    return counts


class Manager:
    """The end of the socket where systemd would listen."""

    def __init__(self, directory):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(directory / "notify.sock"))
        self.variables = {"NOTIFY_SOCKET": str(directory / "notify.sock")}
        self.fed = 0

    def ready(self):
        """The moment at which the service has said that it is, CLOCK_MONOTONIC."""
        self.socket.settimeout(30)
        while b"READY=1" not in self.socket.recv(4096).split(b"\n"):
            pass
        return time.monotonic()

    def count(self):
        """Counts the watchdog's food from here on."""
        self.socket.settimeout(None)
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self):
        while True:
            self.fed += b"WATCHDOG=1" in self.socket.recv(4096).split(b"\n")


class Row:
    """One process that waits."""

    def __init__(self, name, pid, watches=0, manager=None):
        self.name, self.pid, self.watches, self.manager = name, pid, watches, manager
        self.base = stage.resident_kib(pid)

    def begin(self):
        self.before, self.fed = switches(self.pid), -self.manager.fed if self.manager else 0

    def end(self):
        after = switches(self.pid)
        self.wakes, self.interrupted = (
            sum(counts[kind] - self.before.get(task, (0, 0))[kind] for task, counts in after.items())
            for kind in (0, 1))
        self.fed += self.manager.fed if self.manager else 0
        self.resident, self.own = stage.resident_kib(self.pid), stage.resident_kib(self.pid, "RssAnon")
        self.each = (self.resident - self.base) / self.watches if self.watches else None

    def shown(self):
        each = f"{self.each:9.2f}" if self.watches else f"{'':9}"
        fed = f", {self.fed} for the watchdog" if self.manager else ""
        return f"{self.name:42}  {self.resident:8}  {self.own:8}  {each}  {self.wakes:8}  {self.interrupted:11}{fed}"


class Crowd:
    """A daemon of its own with so many watches."""

    def __init__(self, options, readers, watches, passive=False):
        gpsd = ScriptedGPSD()
        directory = stage.folder()
        (directory / "request").write_bytes(PASSIVE if passive else WATCH)
        self.daemon = stage.Daemon(options.daemon, gpsd, directory, rest=stage.LIMITS)
        kind = "passive watches" if passive else "watches, a silent receiver"
        self.row = Row(f"locationd, {watches:,} {kind}" if watches else "locationd", self.daemon.pid, watches)
        if not watches:
            return
        self.readers = stage.Readers(readers, self.daemon.path, watches, directory / "request")
        self.readers.answered(watches)
        if not passive:
            gpsd.stream(5, 10)
            books = self.readers.awaited(10 * watches, patience=60)
            if books["received"] != 10 * watches:
                sys.exit(f"not every fix arrived: {books}")


def started(options, directory, manager, more):
    """A daemon as systemd starts it, but with sockets of its own."""
    process = subprocess.Popen(
        [options.daemon, "--gpsd", "127.0.0.1:1", "--config", directory / "none.toml", "--runtime-directory", directory,
         "--state-directory", directory / "state", "--log-level", "error"],
        env=os.environ | manager.variables | more)
    atexit.register(neighbours.ended, process)
    return process


def fresh():
    directory = stage.folder()
    (directory / "none.toml").write_text("")
    return directory


def starts(options):
    """Seconds from before the process is made until it says that it is ready, and what it computed meanwhile."""
    directory = fresh()
    manager = Manager(directory)
    for _ in range(options.starts):
        began = time.monotonic()
        process = started(options, directory, manager, {})
        yield manager.ready() - began, stage.cpu_seconds(process.pid)
        neighbours.ended(process)


def gpsd_starts(options):
    """Until its port takes a connection."""
    for _ in range(options.starts):
        directory, began = stage.folder(), time.monotonic()
        gpsd = GPSD(directory)
        yield gpsd.answered() - began, stage.cpu_seconds(gpsd.pid)
        gpsd.end()


def geoclue_starts(options, bus, program):
    """Until it is on the bus."""
    for _ in range(options.starts):
        directory = stage.folder()
        waiting = stage.Child(program, "geoclue", bus.address, 0, wait=False)
        began = time.monotonic()
        geoclue = neighbours.GeoClue(bus, directory, directory / "nmea.sock")
        waiting.expect("ready")
        yield time.monotonic() - began, stage.cpu_seconds(geoclue.pid)
        waiting.end()
        geoclue.end()


def stripped(program, directory):
    subprocess.run(["strip", "-o", directory / "stripped", program], check=True)
    return (directory / "stripped").stat().st_size / 1e6


def wait_together(rows, seconds):
    """All of them wait at the same time, on the same machine."""
    time.sleep(SETTLING)
    for row in rows:
        row.begin()
    time.sleep(seconds)
    for row in rows:
        row.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    parser.add_argument("--released", default=RELEASED, help="the program of the package, if it is built")
    parser.add_argument("--seconds", type=int, default=30, help="how long waiting is measured")
    parser.add_argument("--starts", type=int, default=20)
    options = parser.parse_args()
    stage.need_root()
    neighbours.needed("gpsd", "dbus-daemon", "/usr/libexec/geoclue")
    stage.allow_many_files()
    directory = stage.folder()
    readers, program = stage.compiled("readers", directory), neighbours.compiled_updates(directory)
    print(stage.machine())

    alone = Crowd(options, readers, 0).row
    passive = Crowd(options, readers, 1000, passive=True).row
    crowds = [Crowd(options, readers, watches).row for watches in WATCHES]
    place = fresh()
    manager = Manager(place)
    watched = started(options, place, manager, {"WATCHDOG_USEC": str(WATCHDOG * 1_000_000)})
    manager.ready()
    manager.count()
    fed = Row(f"locationd, a watchdog of {WATCHDOG} s", watched.pid, manager=manager)
    gpsd = GPSD(stage.folder())
    gpsd.answered()
    bus = neighbours.Bus(directory)
    geoclue = neighbours.GeoClue(bus, directory, directory / "nmea.sock")
    stage.Child(program, "geoclue", bus.address, 0).end()
    rows = [alone, fed, passive, *crowds, Row("gpsd", gpsd.pid), Row("geoclue", geoclue.pid)]
    wait_together(rows, options.seconds)
    head = f"waiting for {options.seconds} s"
    print(f"{head:42}  {'RSS KiB':>8}  {'its own':>8}  {'per watch':>9}  wake-ups  interrupted")
    for row in rows:
        print(row.shown(), flush=True)
    geoclue.end()

    times = {
        "locationd": list(starts(options)), "gpsd": list(gpsd_starts(options)),
        "geoclue": list(geoclue_starts(options, bus, program)),
    }
    print(f"\n{'starting':42}  {'half, ms':>8}  {'most':>8}  {'CPU, ms':>9}")
    for name, values in times.items():
        passed, spent = ([value * 1e3 for value in kind] for kind in zip(*values))
        print(f"{name:42}  {statistics.median(passed):8.1f}  {max(passed):8.1f}  {statistics.median(spent):9.1f}")

    programs = {"locationd": options.daemon, "locationd, as in the package": options.released,
                "gpsd": shutil.which("gpsd", path=PATH), "geoclue": "/usr/libexec/geoclue"}
    print(f"\n{'stripped':42}  {'MB':>8}")
    for name, path in programs.items():
        if os.path.exists(path):
            print(f"{name:42}  {stripped(path, directory):8.1f}")
    print(stage.machine())

    broken = [f"{row.name}: {row.each:.2f} KiB each" for row in crowds[1:] if row.each > BAR_KIB]
    broken += [f"{row.name}: woke up {row.wakes} times" for row in (alone, passive, fed) if row.wakes > row.fed]
    if statistics.median(passed for passed, _ in times["locationd"]) > BAR_START:
        broken.append("half of the starts take more than 50 ms")
    if broken:
        sys.exit("; ".join(broken))


if __name__ == "__main__":
    main()
