#!/usr/bin/env python3
"""An hour of clients that come and go and of all kinds of faults, beside watches that must get every fix.

Exits with 1 if a fix is lost, a gap is not reported, a client receives what its user must not know, the daemon ends, or
memory, descriptors or threads grow. Needs root, and gpsd.
"""

import collections
import os
import random
import sys
import time

import import_path  # Makes the packages below importable.
from doubles.real_gpsd import GPSD
from doubles.reporting_receiver import ReportingReceiver
from library import harness
from library.daemon import Administrator, Daemon
from soak.faults import SILENCE_TIMEOUT, Faults, configuration
from soak.gpsd_tap import GPSDTap
from soak.watches import DELIVERY_TIMEOUT, Watches

# Seconds until fixes arrive again after a fault of the source: the longest pause between two attempts to connect to gpsd
# is 30 s, and gpsd may take seven to open its receiver.
RECOVERY = 45
# By how much the memory may rise, KiB, once it has filled, by a straight line through all samples. In an hour that is
# 15 bytes for each client that came and went, or 30 for each fix: less than the smallest thing that can leak.
GROWTH = 1024
# What the service keeps for reuse fills for some minutes, until every fault and every kind of client has occurred.
FILLING = 300

Sample = collections.namedtuple("Sample", "moment memory descriptors threads")


def rise(samples, field):
    """By how much the straight line through the samples (least squares) rises from the first to the last."""
    moments = [sample.moment for sample in samples]
    mean_moment = sum(moments) / len(moments)
    values = [getattr(sample, field) for sample in samples]
    mean_value = sum(values) / len(values)
    slope = (sum((moment - mean_moment) * (value - mean_value) for moment, value in zip(moments, values))
             / sum((moment - mean_moment) ** 2 for moment in moments))
    return slope * (moments[-1] - moments[0])


class Soak:
    """Everything that runs in a soak, and what was observed."""

    def __init__(self, options):
        self.options = options
        # A shorter run is a trial, of which the second half is judged.
        self.filling = min(FILLING, options.seconds / 2)
        self.directory = harness.temporary_directory()
        self.receiver = ReportingReceiver(options.rate)
        self.gpsd = GPSD(self.directory, self.receiver, options=("-b",))
        self.tap = GPSDTap(self.gpsd.port, lambda line: self.watches.record.record_line(line))
        self.log = open(self.directory / "log", "ab")
        self.daemon = Daemon(
            options.daemon, None, self.directory, stalled_timeout=10, configuration=configuration(self.tap.port),
            log=self.log)
        self.watches = Watches(self.daemon.path, options.watches)
        self.administrator = Administrator(self.daemon)
        self.clients = harness.ChildProgram(
            sys.executable, "-m", "soak.clients", self.daemon.path, self.daemon.control, options.seed, options.clients,
            options.overstay, directory=harness.BENCHMARKS)
        self.faults = Faults(self)
        # Every second, and whenever all clients have disconnected.
        self.samples, self.rest_samples = [], []
        self.failures = []
        # The faults that are left of this turn, and for each fault the seconds until fixes arrived again.
        self.upcoming, self.recoveries = [], collections.defaultdict(list)

    def sample(self):
        process = f"/proc/{self.daemon.pid}"
        return Sample(time.monotonic() - self.start, harness.resident_kib(self.daemon.pid, "RssAnon"),
                      len(os.listdir(process + "/fd")), len(os.listdir(process + "/task")))

    def observe(self, seconds):
        """Reads what the watches receive for so long, and samples."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            due = self.start + len(self.samples)
            if now >= due:
                self.samples.append(self.sample())
                self.watches.record.settle(now - DELIVERY_TIMEOUT)
                if len(self.samples) % 60 == 0:
                    self.print_progress()
            self.watches.read(min(end, due + 1) - now)

    def cause_fault(self):
        """One fault from its beginning until fixes arrive again, and some seconds without one."""
        if not self.upcoming:
            self.upcoming = random.sample(Faults.ALL, len(Faults.ALL))
        fault = self.upcoming.pop()
        for seconds in fault(self.faults):
            self.observe(seconds)
        end = time.monotonic()
        while self.watches.latest < end and time.monotonic() < end + RECOVERY:
            self.observe(0.1)
        if self.watches.latest < end:
            self.failures.append(f"no fix for {RECOVERY} s after {fault.__name__}")
        self.recoveries[fault.__name__].append(self.watches.latest - end)
        self.observe(random.uniform(1, 5))

    def rest(self):
        """Disconnects all clients that come and go, and samples what remains."""
        self.clients.send("stop")
        self.clients.expect("stopped")
        # The administrator is a client, too.
        expected, end = self.options.watches + 1, time.monotonic() + 10
        while (connected := self.administrator.statistics()["clients"]) > expected:
            if time.monotonic() > end:
                self.failures.append(f"{connected} connections are left when {expected} are open")
                break
            self.observe(0.1)
        self.observe(2)
        self.rest_samples.append(self.sample())

    def run(self):
        self.start = time.monotonic()
        self.receiver.start()
        self.tap.start()
        while not self.watches.latest and time.monotonic() < self.start + RECOVERY:
            self.observe(0.1)
        for tenth in range(1, 11):
            self.clients.send("start")
            while (left := self.start + self.options.seconds * tenth / 10 - time.monotonic()) > 0:
                self.cause_fault() if left > 1 else self.observe(left)
            self.rest()
        self.receiver.is_silent = True
        self.observe(2)
        self.watches.record.settle(time.monotonic())

    def print_progress(self):
        record, last = self.watches.record, self.samples[-1]
        print(f"{last.moment / 60:5.1f} min  fixes {record.sent:6}  complete {record.complete:6}  "
              f"excused {record.excused:4}  lost {len(record.lost)}  dropped {self.watches.dropped}  "
              f"faults {sum(map(len, self.recoveries.values())):4}  memory {last.memory} KiB  "
              f"descriptors {last.descriptors}  threads {last.threads}", flush=True)

    def judge(self, clients):
        """Yields every failure; `clients` is the report of the clients that come and go."""
        record, daemon = self.watches.record, self.daemon.process
        yield from self.failures
        yield from self.watches.failures
        yield from clients["failures"]
        if record.lost:
            yield f"{len(record.lost)} fixes are lost, such as {record.lost[:3]}"
        if record.unknown:
            yield f"{record.unknown} fixes arrived that gpsd had not sent"
        if not record.complete:
            yield "there were no fixes"
        for moment, last_received in self.tap.disconnects:
            # After noise or a start gpsd may take longer to report something than the daemon waits.
            if moment - last_received > SILENCE_TIMEOUT - 0.1:
                continue
            if not any(start <= moment <= end + 1 for start, end in self.faults.disturbances):
                yield f"the daemon disconnected from gpsd at {moment - self.start:.1f} s, without a reason"
        if daemon.poll() is not None:
            yield f"the daemon ended with {daemon.returncode}"
        first, *others = (sample.descriptors for sample in self.rest_samples)
        if max(others) > first:
            yield f"at rest there were {first} descriptors first and {max(others)} later"
        # The runtime has one or two idle threads of its own, which varies; a leaked thread shows in the line.
        if rise(self.judged_samples(), "threads") >= 1:
            yield f"threads rose by {rise(self.judged_samples(), 'threads'):.1f}"
        if (risen := rise(self.judged_samples(), "memory")) > self.options.growth:
            yield f"memory rose by {risen:.0f} KiB, at most {self.options.growth:.0f} are allowed"

    def judged_samples(self):
        """The samples after memory that is kept for reuse has filled."""
        return [sample for sample in self.samples if sample.moment > self.filling]

    def print_tables(self, clients):
        record = self.watches.record
        print(f"\nfixes sent by gpsd {record.sent}, complete at all {self.options.watches} watches {record.complete}, "
              f"excused {record.excused}, lost {len(record.lost)}; delivered {self.watches.received}, "
              f"dropped {self.watches.dropped}")
        print(f"memory, from {self.filling:.0f} s on: {rise(self.judged_samples(), 'memory'):+.0f} KiB by the straight "
              f"line; highest {max(sample.memory for sample in self.samples)} KiB")
        print("\nat rest, s  memory, KiB  descriptors  threads")
        for sample in self.rest_samples:
            print(f"{sample.moment:10.0f} {sample.memory:12} {sample.descriptors:12} {sample.threads:8}")
        print("\nfault                     times  fixes again, s: p50 / max")
        for name, recoveries in sorted(self.recoveries.items()):
            print(f"{name:26} {len(recoveries):4} {harness.quantile(recoveries, 0.5):18.2f} / {max(recoveries):.2f}")
        print(f"\n{sum(clients['visits'].values())} clients came and went: "
              + ", ".join(f"{count} {name}" for name, count in sorted(clients["visits"].items())))
        print(f"{clients['messages']} messages; errors, all of them expected: {clients['errors']}")


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=3600, help="100 or more")
    parser.add_argument("--rate", type=int, default=10, help="fixes per second")
    parser.add_argument("--watches", type=int, default=50, help="that stay, and get everything")
    parser.add_argument("--clients", type=int, default=200, help="that come and go, at a time")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(1 << 31), help="repeats a run's random choices")
    parser.add_argument("--growth", type=float, default=GROWTH, help="of memory that counts as none, KiB")
    parser.add_argument(
        "--overstay", type=int, default=0, help="one of so many clients never disconnects, which has to fail")
    options = parser.parse_args()
    if options.seconds < 100:
        sys.exit("--seconds: a tenth has to hold a fault and its end; take 100 or more")
    harness.require_root()
    harness.raise_open_file_limit()
    random.seed(options.seed)
    print(f"{harness.describe_machine()}, seed {options.seed}")
    soak = Soak(options)
    soak.run()
    clients = soak.clients.query("report")
    soak.print_tables(clients)
    failures = list(soak.judge(clients))
    soak.daemon.stop()
    if soak.daemon.process.returncode:
        failures.append(f"the daemon ended with {soak.daemon.process.returncode} when it was asked to end")
    print(harness.describe_machine())
    harness.exit_if_failed(list(dict.fromkeys(failures))[:20])


if __name__ == "__main__":
    main()
