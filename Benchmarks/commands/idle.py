#!/usr/bin/env python3
"""The cost of waiting: memory without and with many watches, wake-ups, start; beside gpsd.

Exits with 1 if a watch takes more than 8 KiB (of 1,000 and of 8,000), if the daemon wakes up for anything but the
watchdog while there are no watches or only passive ones, or if half of its starts take more than 50 ms.
"""

import atexit
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import threading
import time

import import_path  # Makes the packages below importable.
from doubles.real_gpsd import GPSD
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.client import WATCH, watch_request
from library.daemon import LIMITS_FOR_MANY_CLIENTS, Daemon
from library.readers import Readers

WATCHES = (100, 1000, 8000)
PASSIVE = watch_request(passive=True)
# WatchdogSec= of the unit, seconds.
WATCHDOG = 30
MAX_KIB_PER_WATCH, MAX_START_SECONDS = 8, 0.05
# Longer than the linger, and than the work that follows a start.
SETTLING = 8


def context_switches(pid):
    """The voluntary and the involuntary context switches of each thread."""
    counts = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        entries = dict(entry.split(":", 1) for entry in (task / "status").read_text().splitlines())
        counts[task.name] = int(entries["voluntary_ctxt_switches"]), int(entries["nonvoluntary_ctxt_switches"])
    return counts


class NotifySocket:
    """The socket on which systemd would receive READY=1 and WATCHDOG=1."""

    def __init__(self, directory):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(directory / "notify.sock"))
        self.variables = {"NOTIFY_SOCKET": str(directory / "notify.sock")}
        self.keep_alives = 0

    def wait_until_ready(self):
        """Returns the moment at which the service was ready, CLOCK_MONOTONIC."""
        self.socket.settimeout(30)
        while b"READY=1" not in self.socket.recv(4096).split(b"\n"):
            pass
        return time.monotonic()

    def count_keep_alives(self):
        """Counts WATCHDOG=1 on a thread from here on."""
        self.socket.settimeout(None)
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self):
        while True:
            self.keep_alives += b"WATCHDOG=1" in self.socket.recv(4096).split(b"\n")


class WaitingProcess:
    """One row of the table of waiting."""

    def __init__(self, name, pid, watches=0, notify_socket=None):
        """The memory without watches is measured here, so the watches have to come later."""
        self.name, self.pid, self.watches, self.notify_socket = name, pid, watches, notify_socket
        self.base_kib = harness.resident_kib(pid)

    def begin(self):
        self.before = context_switches(self.pid)
        self.keep_alives = -self.notify_socket.keep_alives if self.notify_socket else 0

    def end(self):
        after = context_switches(self.pid)
        self.wake_ups, self.interruptions = (
            sum(counts[kind] - self.before.get(task, (0, 0))[kind] for task, counts in after.items())
            for kind in (0, 1))
        self.keep_alives += self.notify_socket.keep_alives if self.notify_socket else 0
        self.resident, self.anonymous = harness.resident_kib(self.pid), harness.resident_kib(self.pid, "RssAnon")
        self.kib_per_watch = (self.resident - self.base_kib) / self.watches if self.watches else None

    def format(self):
        per_watch = f"{self.kib_per_watch:9.2f}" if self.watches else f"{'':9}"
        watchdog = f", {self.keep_alives} for the watchdog" if self.notify_socket else ""
        return (f"{self.name:42}  {self.resident:8}  {self.anonymous:9}  {per_watch}  {self.wake_ups:8}  "
                f"{self.interruptions:11}{watchdog}")


def daemon_with_watches(options, program, watches, is_passive=False):
    """The row of a daemon of its own with so many watches; active ones have had ten fixes."""
    gpsd = ScriptedGPSD()
    directory = harness.temporary_directory()
    (directory / "request").write_bytes(PASSIVE if is_passive else WATCH)
    daemon = Daemon(options.daemon, gpsd, directory, configuration=LIMITS_FOR_MANY_CLIENTS)
    kind = "passive watches" if is_passive else "watches, a silent receiver"
    row = WaitingProcess(f"locationd, {watches:,} {kind}" if watches else "locationd", daemon.pid, watches)
    if not watches:
        return row
    readers = Readers(program, daemon.path, watches, directory / "request")
    readers.wait_until_answered(watches)
    if not is_passive:
        gpsd.stream(5, 10)
        report = readers.wait_for_locations(10 * watches, timeout=60)
        if report["received"] != 10 * watches:
            sys.exit(f"not every fix arrived: {report}")
    return row


def directory_with_configuration():
    """A temporary directory with an empty configuration."""
    directory = harness.temporary_directory()
    (directory / "empty.toml").write_text("")
    return directory


def notifying_daemon(options, directory, notify_socket, variables):
    """A daemon as systemd starts it, but with sockets of its own."""
    process = subprocess.Popen(
        [options.daemon, "--gpsd", "127.0.0.1:1", "--config", directory / "empty.toml", "--runtime-directory",
         directory, "--state-directory", directory / "state", "--log-level", "error"],
        env=os.environ | notify_socket.variables | variables)
    atexit.register(harness.stop_process, process)
    return process


def locationd_starts(options):
    """For each start, seconds from before the process is made until it is ready, and its CPU seconds by then."""
    directory = directory_with_configuration()
    notify_socket = NotifySocket(directory)
    for _ in range(options.starts):
        start = time.monotonic()
        process = notifying_daemon(options, directory, notify_socket, {})
        yield notify_socket.wait_until_ready() - start, harness.cpu_seconds(process.pid)
        harness.stop_process(process)


def wait_together(rows, seconds):
    """All of them wait at the same time, so that the machine's load is the same for each."""
    time.sleep(SETTLING)
    for row in rows:
        row.begin()
    time.sleep(seconds)
    for row in rows:
        row.end()


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=30, help="how long waiting is measured")
    parser.add_argument("--starts", type=int, default=20)
    options = parser.parse_args()
    harness.raise_open_file_limit()
    readers = harness.compile_program("readers", harness.temporary_directory())
    print(harness.describe_machine())

    unwatched = daemon_with_watches(options, readers, 0)
    passive = daemon_with_watches(options, readers, 1000, is_passive=True)
    active = [daemon_with_watches(options, readers, watches) for watches in WATCHES]
    watchdog_directory = directory_with_configuration()
    notify_socket = NotifySocket(watchdog_directory)
    process = notifying_daemon(
        options, watchdog_directory, notify_socket, {"WATCHDOG_USEC": str(WATCHDOG * 1_000_000)})
    notify_socket.wait_until_ready()
    notify_socket.count_keep_alives()
    with_watchdog = WaitingProcess(f"locationd, a watchdog of {WATCHDOG} s", process.pid, notify_socket=notify_socket)
    gpsd = GPSD(harness.temporary_directory())
    gpsd.wait_until_listening()
    rows = [unwatched, with_watchdog, passive, *active, WaitingProcess("gpsd", gpsd.pid)]
    wait_together(rows, options.seconds)
    head = f"waiting for {options.seconds} s"
    print(f"{head:42}  {'RSS KiB':>8}  anonymous  {'per watch':>9}  wake-ups  interrupted")
    for row in rows:
        print(row.format(), flush=True)

    elapsed, cpu = zip(*locationd_starts(options))
    print(f"\nstarting: p50 {statistics.median(elapsed) * 1e3:.1f} ms, max {max(elapsed) * 1e3:.1f} ms, "
          f"CPU time p50 {statistics.median(cpu) * 1e3:.1f} ms")
    print(harness.describe_machine())

    # What the first watch brings in weighs too much on a hundred.
    failures = [f"{row.name}: {row.kib_per_watch:.2f} KiB for each" for row in active[1:]
                if row.kib_per_watch > MAX_KIB_PER_WATCH]
    failures += [f"{row.name}: woke up {row.wake_ups} times" for row in (unwatched, passive, with_watchdog)
                 if row.wake_ups > row.keep_alives]
    if statistics.median(elapsed) > MAX_START_SECONDS:
        failures.append("half of the starts take more than 50 ms")
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
