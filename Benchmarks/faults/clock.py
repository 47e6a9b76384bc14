"""The wall clock is stepped under live watches."""

import contextlib
import datetime
import os
import pathlib
import re
import struct
import time

from faults.fixture import fixture
from library.client import Client
from library.harness import compile_program

YEAR = 365 * 86_400


def wall_clock_of(daemon):
    """The wall clock as the daemon sees it, seconds since 1970: the time it records for a new client."""
    with Client(daemon.control) as client:
        clients = client.call("org.locationd.admin.ListClients")["parameters"]["clients"]
        newest = max(clients, key=lambda client: client["id"])
        return datetime.datetime.fromisoformat(newest["since"].replace("Z", "+00:00")).timestamp()


def wall_clock_waits(pid):
    """Timers and threads that the kernel wakes by its own wall clock, which wall_clock.c does not change."""
    for entry in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        # Descriptors and threads may disappear meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if re.search(r"^clockid: 0$", entry.read_text(), re.MULTILINE):
                yield f"timer {entry.name}"
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            number, *arguments = (thread / "syscall").read_text().split()
            futex, by_wall_clock = "202", 256
            if number == futex and int(arguments[1], 16) & by_wall_clock and int(arguments[3], 16):
                yield f"thread {thread.name}"


def stepped(options):
    """The wall clock is set a year ahead, two years back, and back and forth a hundred times."""
    with fixture(options) as setup:
        library = compile_program("wall_clock", setup.directory, "-shared", "-fPIC")
        offset = setup.directory / "offset"
        offset.write_bytes(bytes(8))
        daemon = setup.start_daemon(environment={"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(offset)})
        watches, outcome = setup.open_watches(), setup.outcome
        file = os.open(offset, os.O_WRONLY)

        def step(seconds):
            os.pwrite(file, struct.pack("=q", seconds), 0)

        for seconds in (YEAR, -YEAR, 0):
            step(seconds)
            time.sleep(5)
            ahead = wall_clock_of(daemon) - time.time()
            outcome.expect(abs(ahead - seconds) < 5, f"the daemon's clock is {ahead:.0f} s ahead instead of {seconds}")
            with Client(daemon.path) as client:
                reply = client.call("org.locationd.location.GetLocation", maximumAge=1.0, timeout=5.0)
            age = reply.get("parameters", {}).get("location", {}).get("age")
            outcome.expect(age is not None and 0 <= age <= 1, f"not a location of at most a second: {reply}")
            waiting = list(wall_clock_waits(daemon.pid))
            outcome.expect(not waiting, f"waits for the wall clock: {waiting}")
        for number in range(100):
            step((YEAR, -YEAR)[number % 2])
            time.sleep(0.05)
        step(0)
        report = watches.report()
        setup.expect_no_loss(report)
        outcome.recovery = f"not interrupted; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.expect(not {"lost", "starting", "unavailable"} & set(report["states"]),
                       f"the source's states were {report['states']}")
        outcome.expect(report["silence"] < 1, f"one watch received nothing for {report['silence']:.2f} s")
        outcome.remark("the steps show in `since` of a client; no timer of the kernel's waits by the wall clock")
        outcome.expect_resources_returned(daemon)
        return outcome


FAULTS = [stepped]
