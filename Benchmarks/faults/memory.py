"""Memory is limited, by a control group of either version, as MemoryMax= does it."""

import contextlib
import os
import pathlib
import re
import time

from library.client import request
from faults import connections as crowds
from faults.fixture import scene, words_of_loss
from faults.supervised_daemon import UNIT

ROOT = pathlib.Path("/sys/fs/cgroup")
EVERYTHING = request("org.locationd.location.Watch", more=True, heading=True, satellites=True)


class Group:
    """A control group of the benchmark's own."""

    def __init__(self, limit):
        # Version 1 where memory is still there, else version 2.
        self.is_first = (ROOT / "memory" / "memory.limit_in_bytes").exists()
        self.limit = limit
        self.paths = []
        if not self.is_first:
            (ROOT / "cgroup.subtree_control").write_text("+memory")
        self.renew()

    def _file(self, first, second):
        return self.path / (first if self.is_first else second)

    def renew(self):
        """A new group for each start, as systemd makes one; what clients leave unread stays with the old one."""
        name = f"locationd-bench-{os.getpid()}-{len(self.paths)}"
        self.path = (ROOT / "memory" if self.is_first else ROOT) / name
        self.path.mkdir()
        self.paths.append(self.path)
        self._file("memory.limit_in_bytes", "memory.max").write_text(str(self.limit))
        with contextlib.suppress(OSError):
            self._file("memory.memsw.limit_in_bytes", "memory.swap.max").write_text(
                str(self.limit if self.is_first else 0))

    def enter(self):
        """The calling process, and what it starts, belongs to the group."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def most(self):
        """Bytes, the kernel's own on behalf of the group among them."""
        return int(self._file("memory.max_usage_in_bytes", "memory.peak").read_text())

    @property
    def kills(self):
        return int(re.search(r"oom_kill (\d+)", self._file("memory.oom_control", "memory.events").read_text()).group(1))

    def close(self):
        for path in self.paths:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    path.rmdir()
                    break
                time.sleep(0.1)


def unit_limit():
    """MemoryMax= of the unit, bytes."""
    number, unit = re.search(r"^MemoryMax=(\d+)([KMG]?)$", UNIT, re.MULTILINE).groups()
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit]


def everybody(options):
    """As many connections as the default limits allow, of 31 users, watch everything and read nothing, for 60 s."""
    with scene(options) as stage:
        group = stage.closed(Group(unit_limit()))
        service = stage.serve(group=group)
        users = range(crowds.FIRST_USER, crowds.FIRST_USER + crowds.CONFIGURED_USERS)
        crowds.authorize(service, users)
        watches, outcome = stage.watch(), stage.outcome
        count = crowds.CONFIGURED_USERS * crowds.PER_USER
        with crowds.elsewhere(crowds.staying, service.path, count, EVERYTHING, users):
            crowded = service.figures()
            time.sleep(60)
            report = watches.report()
        outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.remark(f"{crowded[1]} descriptors, at most {group.most >> 20} MiB with the kernel's part, "
                       f"of {unit_limit() >> 20}; killed {group.kills} times")
        outcome.promise(group.kills == 0, "it was killed within its own limits")
        stage.nothing_is_lost(report)
        outcome.settle(service)
        return outcome


def eight_thousand(options, limit):
    with scene(options) as stage:
        group = stage.closed(Group(limit))
        service = stage.serve(group=group)
        watches, outcome = stage.watch(), stage.outcome
        with crowds.elsewhere(crowds.staying, service.path, 8000, EVERYTHING, None):
            crowded = service.figures()
            time.sleep(30)
            ends = len(service.ends)
            outcome.remark(f"at most {group.most >> 20} MiB of {limit >> 20}; started {service.starts} times; "
                           f"{crowded[1]} descriptors, which were as many as were let in")
        watches.mark()
        report = watches.await_all()
        outcome.promise(report["served"] == watches.count, "fixes do not flow again")
        outcome.again = f"{report['again'] or 60:.2f} s after the crowd left"
        outcome.lost = words_of_loss(report)
        outcome.promise(ends == 0, "it was killed rather than that it refused")
        outcome.promise(report["older"] == 0, f"{report['older']} locations were older than the one before")
        outcome.settle(service)
        return outcome


def tight(options):
    """8,000 watches of root that do not read meet MemoryMax=96M."""
    return eight_thousand(options, 96 << 20)


FAULTS = [everybody, tight]
