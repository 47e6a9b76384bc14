#!/usr/bin/env python3
"""An hour of clients that come and go and of everything that goes wrong, beside watches that must get every fix.

Exits with 1 if a fix is lost, a gap is not counted, anybody is told what one must not be told, the daemon ends, or
memory, descriptors or threads grow. Needs root, and gpsd.
"""

import argparse
import collections
import os
import random
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from doubles.real_gpsd import GPSD
from soak.faults import SILENCE, Faults, settings
from soak.source import Receiver, Tap
from soak.watches import PATIENCE, Watches

# The source has to serve again so many seconds after a fault of it: the longest pause between two attempts to reach
# gpsd is 30 s, and gpsd may take seven to open its receiver.
RETURN = 45
# What the memory may grow by, KiB, once it has filled, by a straight line through all samples. In an hour that is
# 15 bytes for each client that came and went, or 30 for each fix: less than the smallest thing that can leak.
GROWTH = 1024
# What the service keeps, for reuse, fills for some minutes: not every fault and every crowd has been there before.
FILLING = 300

Sample = collections.namedtuple("Sample", "moment memory descriptors threads")


def rise(samples, what):
    """By how much the straight line through the samples rises from the first to the last."""
    moments = [sample.moment for sample in samples]
    middle = sum(moments) / len(moments)
    values = [getattr(sample, what) for sample in samples]
    level = sum(values) / len(values)
    slope = (sum((moment - middle) * (value - level) for moment, value in zip(moments, values))
             / sum((moment - middle) ** 2 for moment in moments))
    return slope * (moments[-1] - moments[0])


class World:
    """Everything that lives in a soak."""

    def __init__(self, options):
        self.options = options
        # A shorter run is a try; it judges its second half.
        self.filling = min(FILLING, options.seconds / 2)
        self.directory = stage.folder()
        self.receiver = Receiver(options.rate)
        self.gpsd = GPSD(self.directory, self.receiver, options=("-b",))
        self.tap = Tap(self.gpsd.port, lambda line: self.watches.books.heard(line))
        self.log = open(self.directory / "log", "ab")
        self.daemon = stage.Daemon(
            options.daemon, None, self.directory, stalled_timeout=10, rest=settings(self.tap.port), log=self.log)
        self.watches = Watches(self.daemon.path, options.watches)
        self.administrator = stage.Administrator(self.daemon)
        self.guests = stage.Child(
            sys.executable, "-m", "soak.clients", self.daemon.path, self.daemon.control, options.seed, options.clients,
            options.overstay, directory=stage.HERE)
        self.faults = Faults(self)
        self.samples, self.rests = [], []
        self.broken = []
        self.deck, self.returns = [], collections.defaultdict(list)

    def sample(self):
        folder = f"/proc/{self.daemon.pid}"
        return Sample(time.monotonic() - self.began, stage.resident_kib(self.daemon.pid, "RssAnon"),
                      len(os.listdir(folder + "/fd")), len(os.listdir(folder + "/task")))

    def live(self, seconds):
        """Reads what the watches get for so long, and samples."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            due = self.began + len(self.samples)
            if now >= due:
                self.samples.append(self.sample())
                self.watches.books.settle(now - PATIENCE)
                if len(self.samples) % 60 == 0:
                    self.tell()
            self.watches.read(min(end, due + 1) - now)

    def strike(self):
        """One fault from its beginning until fixes come again, and a while in which all is well."""
        if not self.deck:
            self.deck = random.sample(Faults.ALL, len(Faults.ALL))
        fault = self.deck.pop()
        for seconds in fault(self.faults):
            self.live(seconds)
        ended = time.monotonic()
        while self.watches.latest < ended and time.monotonic() < ended + RETURN:
            self.live(0.1)
        if self.watches.latest < ended:
            self.broken.append(f"no fix for {RETURN} s after {fault.__name__}")
        self.returns[fault.__name__].append(self.watches.latest - ended)
        self.live(random.uniform(1, 5))

    def rest(self):
        """All guests leave, and what remains is counted."""
        self.guests.tell("leave")
        self.guests.expect("gone")
        # The administrator is one of the clients.
        expected, end = self.options.watches + 1, time.monotonic() + 10
        while (clients := self.faults.ask("GetStatistics")["statistics"]["clients"]) > expected:
            if time.monotonic() > end:
                self.broken.append(f"{clients} connections are left when {expected} are open")
                break
            self.live(0.1)
        self.live(2)
        self.rests.append(self.sample())

    def run(self):
        self.began = time.monotonic()
        self.receiver.start()
        self.tap.start()
        while not self.watches.latest and time.monotonic() < self.began + RETURN:
            self.live(0.1)
        for tenth in range(1, 11):
            self.guests.tell("come")
            while (left := self.began + self.options.seconds * tenth / 10 - time.monotonic()) > 0:
                self.strike() if left > 1 else self.live(left)
            self.rest()
        self.receiver.is_silent = True
        self.live(2)
        self.watches.books.settle(time.monotonic())

    def tell(self):
        """One line on how it goes."""
        books, last = self.watches.books, self.samples[-1]
        print(f"{last.moment / 60:5.1f} min  fixes {books.told:6}  whole {books.complete:6}  excused {books.excused:4}  "
              f"lost {len(books.lost)}  dropped {self.watches.dropped}  faults {sum(map(len, self.returns.values())):4}  "
              f"memory {last.memory} KiB  descriptors {last.descriptors}  threads {last.threads}", flush=True)

    def verdict(self, guests):
        """Every promise that was broken."""
        books, daemon = self.watches.books, self.daemon.process
        yield from self.broken
        yield from self.watches.broken
        yield from guests["broken"]
        if books.lost:
            yield f"{len(books.lost)} fixes are lost, such as {books.lost[:3]}"
        if books.invented:
            yield f"{books.invented} fixes came that gpsd had not told"
        if not books.complete:
            yield "there were no fixes"
        for moment, last_word in self.tap.departures:
            # After noise or a start gpsd may take longer to tell something than the daemon waits.
            if moment - last_word > SILENCE - 0.1:
                continue
            if not any(began <= moment <= ended + 1 for began, ended in self.faults.troubles):
                yield f"the daemon left gpsd at {moment - self.began:.1f} s, without a reason"
        if daemon.poll() is not None:
            yield f"the daemon ended with {daemon.returncode}"
        first, *rests = (rest.descriptors for rest in self.rests)
        if max(rests) > first:
            yield f"at rest there were {first} descriptors first and {max(rests)} later"
        # Of the runtime's own threads one or two wait for work, as it happens; one more that stays shows in the line.
        if rise(self.later(), "threads") >= 1:
            yield f"threads rose by {rise(self.later(), 'threads'):.1f}"
        if (risen := rise(self.later(), "memory")) > self.options.growth:
            yield f"memory rose by {risen:.0f} KiB, at most {self.options.growth:.0f} are meant to be"

    def later(self):
        """The samples after what fills has filled."""
        return [sample for sample in self.samples if sample.moment > self.filling]

    def table(self, guests, seconds):
        books = self.watches.books
        print(f"\nfixes told by gpsd {books.told}, whole at all {self.options.watches} watches {books.complete}, "
              f"excused {books.excused}, lost {len(books.lost)}; delivered {self.watches.received}, "
              f"dropped {self.watches.dropped}")
        print(f"memory, from {self.filling:.0f} s on: {rise(self.later(), 'memory'):+.0f} KiB by the straight line; "
              f"highest {max(sample.memory for sample in self.samples)} KiB")
        print("\nat rest, s  memory, KiB  descriptors  threads")
        for rest in self.rests:
            print(f"{rest.moment:10.0f} {rest.memory:12} {rest.descriptors:12} {rest.threads:8}")
        print("\nfault                     times  fixes again, s: half / most")
        for name, waits in sorted(self.returns.items()):
            print(f"{name:26} {len(waits):4} {stage.quantile(waits, 0.5):18.2f} / {max(waits):.2f}")
        print(f"\n{sum(guests['visits'].values())} guests: "
              + ", ".join(f"{count} {name}" for name, count in sorted(guests["visits"].items())))
        print(f"{guests['messages']} messages; errors, all of them usual ones: {guests['errors']}")
        service, clients = (stage.cpu_seconds(pid) for pid in (self.daemon.pid, self.guests.process.pid))
        print(f"processor, of one core: locationd {100 * service / seconds:.1f} %, guests {100 * clients / seconds:.1f} %, "
              f"this program {100 * time.process_time() / seconds:.1f} %")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=int, default=3600, help="100 or more")
    options.add_argument("--rate", type=int, default=10, help="fixes per second")
    options.add_argument("--watches", type=int, default=50, help="that stay, and get everything")
    options.add_argument("--clients", type=int, default=200, help="that come and go, at a time")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31), help="to repeat chance")
    options.add_argument("--growth", type=float, default=GROWTH, help="of memory that is no growth, KiB")
    options.add_argument("--overstay", type=int, default=0, help="of so many clients one never leaves; this has to fail")
    options = options.parse_args()
    if options.seconds < 100:
        sys.exit("--seconds: a tenth has to hold a fault and its end; take 100 or more")
    stage.need_root()
    stage.allow_many_files()
    random.seed(options.seed)
    print(f"{stage.machine()}, seed {options.seed}")
    world = World(options)
    world.run()
    guests = world.guests.ask("report")
    world.table(guests, time.monotonic() - world.began)
    broken = list(world.verdict(guests))
    world.daemon.end()
    if world.daemon.process.returncode:
        broken.append(f"the daemon ended with {world.daemon.process.returncode} when it was asked to end")
    print(stage.machine())
    if broken:
        sys.exit("broken: " + "; ".join(list(dict.fromkeys(broken))[:20]))


if __name__ == "__main__":
    main()
