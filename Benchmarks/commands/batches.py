#!/usr/bin/env python3
"""What a maximum delay saves: wake-ups and CPU time of the daemon and of its clients, at one fix a second.

Each row has a daemon and a scripted gpsd of its own; all are measured at the same time. The clients are `locctl watch`, whose
standard output is a file. A wake-up is a voluntary context switch of any thread.

Exits with 1 if a client with a maximum delay does not get every fix but those that are held, or wakes up more than a
tenth as often as one without.
"""

import pathlib
import subprocess
import threading
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.daemon import Daemon

# Seconds of fixes before the measurement: the daemon has found the receiver's cycle, and a batch has been sent.
WARM_UP = 65


def activity(pids):
    """Voluntary context switches of all threads of the processes, and their CPU seconds."""
    wake_ups = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            entries = dict(entry.split(":", 1) for entry in (task / "status").read_text().splitlines())
            wake_ups += int(entries["voluntary_ctxt_switches"])
    return wake_ups, sum(map(harness.cpu_seconds, pids))


class Row:
    """A daemon with so many clients that have the same maximum delay, or none."""

    def __init__(self, options, clients, delay):
        self.name = f"{clients} clients, " + (f"{delay} s" if delay else "each fix at once")
        self.delay, self.seconds = delay, options.seconds
        self.gpsd, directory = ScriptedGPSD(), harness.temporary_directory()
        self.daemon = Daemon(options.daemon, self.gpsd, directory)
        locctl = pathlib.Path(options.daemon).parent / "locctl"
        words = [str(locctl), "watch", "--json", "--socket", self.daemon.path]
        words += ["--max-delay", str(delay)] if delay else []
        self.outputs = [directory / f"client{number}" for number in range(clients)]
        self.clients = [subprocess.Popen(words, stdout=output.open("wb")) for output in self.outputs]
        self.stream = threading.Thread(
            target=self.gpsd.stream, args=(1, WARM_UP + options.seconds), daemon=True)

    def begin(self):
        self.before = [activity(pids) for pids in self.processes()]

    def end(self):
        self.after = [activity(pids) for pids in self.processes()]

    def processes(self):
        return [self.daemon.pid], [client.pid for client in self.clients]

    def measure(self):
        """Wake-ups and CPU milliseconds in an hour: of the daemon, and of one client."""
        scale = 3600 / self.seconds
        (daemon, daemon_cpu), (clients, clients_cpu) = (
            ((after[0] - before[0]) * scale, (after[1] - before[1]) * 1e3 * scale)
            for before, after in zip(self.before, self.after))
        return daemon, daemon_cpu, clients / len(self.clients), clients_cpu / len(self.clients)

    def missing(self):
        """The most locations that a client did not get, or that are held for it."""
        counts = [output.read_bytes().count(b'"location":') for output in self.outputs]
        return self.gpsd.produced - min(counts)

    def stop(self):
        for client in self.clients:
            harness.stop_process(client)
        self.daemon.stop()


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=300, help="how long is measured; the figures are scaled to an hour")
    parser.add_argument("--delay", type=int, default=60, help="the maximum delay, seconds")
    options = parser.parse_args()
    print(harness.describe_machine())
    rows = [Row(options, clients, delay) for clients in (1, 20) for delay in (None, options.delay)]
    for row in rows:
        row.stream.start()
    time.sleep(WARM_UP)
    for row in rows:
        row.begin()
    time.sleep(options.seconds)
    for row in rows:
        row.end()
    print(f"{options.seconds} s, scaled to an hour{'':8}  {'daemon':>8}  {'CPU, ms':>8}  {'a client':>8}  {'CPU, ms':>8}")
    failures, prompt = [], 0
    for row in rows:
        daemon, daemon_cpu, client, client_cpu = row.measure()
        print(f"{row.name:30}  {daemon:8.0f}  {daemon_cpu:8.0f}  {client:8.0f}  {client_cpu:8.0f}", flush=True)
        missing = row.missing()
        # A fix may be on its way.
        if missing > (options.delay + 1 if row.delay else 1):
            failures.append(f"{row.name}: {missing} locations are missing")
        if row.delay and client > prompt / 10:
            failures.append(f"{row.name}: {client:.0f} wake-ups, and {prompt:.0f} without a delay")
        prompt = client
        row.stop()
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
