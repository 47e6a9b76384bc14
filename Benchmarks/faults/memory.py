"""Memory is limited by a control group, of version 1 or 2, as MemoryMax= does it."""

import contextlib
import os
import pathlib
import re
import time

from faults import connections
from faults.fixture import describe_loss, fixture
from faults.supervised_daemon import UNIT
from library.client import watch_request

ROOT = pathlib.Path("/sys/fs/cgroup")
WATCH_EVERYTHING = watch_request(heading=True, satellites=True)


class ControlGroup:
    """A control group of the benchmark's own."""

    def __init__(self, limit):
        # Version 1 if it still controls memory, else version 2.
        self.is_version_1 = (ROOT / "memory" / "memory.limit_in_bytes").exists()
        self.limit = limit
        self.paths = []
        if not self.is_version_1:
            (ROOT / "cgroup.subtree_control").write_text("+memory")
        self.renew()

    def _file(self, version_1, version_2):
        return self.path / (version_1 if self.is_version_1 else version_2)

    def renew(self):
        """Makes a new group for each start, as systemd does; data that clients leave unread stays with the old one."""
        name = f"locationd-bench-{os.getpid()}-{len(self.paths)}"
        self.path = (ROOT / "memory" if self.is_version_1 else ROOT) / name
        self.path.mkdir()
        self.paths.append(self.path)
        self._file("memory.limit_in_bytes", "memory.max").write_text(str(self.limit))
        with contextlib.suppress(OSError):
            self._file("memory.memsw.limit_in_bytes", "memory.swap.max").write_text(
                str(self.limit if self.is_version_1 else 0))

    def enter(self):
        """Puts the calling process, and what it starts, into the group."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def peak(self):
        """Bytes, with the kernel's own on behalf of the group."""
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


def all_users(options):
    """As many connections as the default limits allow, of 31 users, watch everything and read nothing, for 60 s."""
    with fixture(options) as setup:
        group = setup.closing(ControlGroup(unit_limit()))
        daemon = setup.start_daemon(group=group)
        users = range(connections.FIRST_USER, connections.FIRST_USER + connections.USERS)
        connections.authorize(daemon, users)
        watches, outcome = setup.open_watches(), setup.outcome
        count = connections.USERS * connections.CONNECTIONS_PER_USER
        with connections.background(connections.hold_connections, daemon.path, count, WATCH_EVERYTHING, users):
            resources = daemon.resources()
            time.sleep(60)
            report = watches.report()
        outcome.recovery = f"not interrupted; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.remark(f"{resources[1]} descriptors, at most {group.peak >> 20} MiB with the kernel's part, "
                       f"of {unit_limit() >> 20}; killed {group.kills} times")
        outcome.expect(group.kills == 0, "it was killed within its own limits")
        setup.expect_no_loss(report)
        outcome.expect_resources_returned(daemon)
        return outcome


def tight(options):
    """8,000 watches of root that do not read meet MemoryMax=96M."""
    limit = 96 << 20
    with fixture(options) as setup:
        group = setup.closing(ControlGroup(limit))
        daemon = setup.start_daemon(group=group)
        watches, outcome = setup.open_watches(), setup.outcome
        with connections.background(connections.hold_connections, daemon.path, 8000, WATCH_EVERYTHING, None):
            resources = daemon.resources()
            time.sleep(30)
            ends = len(daemon.ends)
            outcome.remark(f"at most {group.peak >> 20} MiB of {limit >> 20}; started {daemon.starts} times; "
                           f"{resources[1]} descriptors, as many as were accepted")
        watches.mark()
        report = watches.wait_until_all_served()
        setup.expect_all_served(watches, report)
        outcome.recovery = f"{report['recovery'] or 60:.2f} s after the others left"
        outcome.lost = describe_loss(report)
        outcome.expect(ends == 0, "it was killed instead of refusing clients")
        outcome.expect(report["older"] == 0, f"{report['older']} locations were older than the one before")
        outcome.expect_resources_returned(daemon)
        return outcome


def small(options):
    """20 watches that read, for 60 s, with MemoryMax=64M, as on a small machine."""
    limit = 64 << 20
    with fixture(options) as setup:
        group = setup.closing(ControlGroup(limit))
        # What the program's file takes in the page cache is charged to the group that reads it first.
        with open(options.daemon, "rb") as program:
            os.posix_fadvise(program.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        daemon = setup.start_daemon(group=group)
        watches, outcome = setup.open_watches(20), setup.outcome
        time.sleep(60)
        report = watches.report()
        outcome.recovery = f"not interrupted; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.remark(f"at most {group.peak / 2**20:.0f} MiB of {limit >> 20}, with the program's file and the kernel's part; "
                       f"killed {group.kills} times")
        outcome.expect(group.kills == 0, "it was killed within its limit")
        outcome.expect(daemon.starts == 1, f"it was started {daemon.starts} times")
        setup.expect_no_loss(report)
        return outcome


FAULTS = [all_users, tight, small]
