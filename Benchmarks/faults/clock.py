"""The wall clock is stepped under live watches."""

import contextlib
import datetime
import os
import pathlib
import re
import struct
import time

from library import harness
from library.client import Client
from faults.fixture import scene

YEAR = 365 * 86_400


def since(service):
    """The wall clock that the daemon sees: when it says a new client has come, seconds of 1970."""
    client = Client(service.control)
    try:
        clients = client.call("org.locationd.admin.ListClients")["parameters"]["clients"]
        newest = max(clients, key=lambda client: client["id"])
        return datetime.datetime.fromisoformat(newest["since"].replace("Z", "+00:00")).timestamp()
    finally:
        client.close()


def waits_for_the_wall_clock(pid):
    """Timers and threads that the kernel wakes by the wall clock, which a program's own view of it does not move."""
    for entry in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        # Descriptors and threads come and go meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if re.search(r"^clockid: 0$", entry.read_text(), re.MULTILINE):
                yield f"timer {entry.name}"
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            number, *words = (thread / "syscall").read_text().split()
            futex, by_wall_clock = "202", 256
            if number == futex and int(words[1], 16) & by_wall_clock and int(words[3], 16):
                yield f"thread {thread.name}"


def stepped(options):
    """The wall clock goes a year ahead, two back, and to and fro a hundred times."""
    with scene(options) as stage:
        shim = harness.compiled("wall_clock", stage.directory, "-shared", "-fPIC")
        offset = stage.directory / "offset"
        offset.write_bytes(bytes(8))
        service = stage.serve(environment={"LD_PRELOAD": str(shim), "CLOCK_OFFSET": str(offset)})
        watches, outcome = stage.watch(), stage.outcome
        file = os.open(offset, os.O_WRONLY)

        def step(seconds):
            os.pwrite(file, struct.pack("=q", seconds), 0)

        for seconds in (YEAR, -YEAR, 0):
            step(seconds)
            time.sleep(5)
            ahead = since(service) - time.time()
            outcome.promise(abs(ahead - seconds) < 5, f"the daemon's clock is {ahead:.0f} s ahead, not {seconds}")
            got = Client(service.path)
            reply = got.call("org.locationd.location.GetLocation", maximumAge=1.0, timeout=5.0)
            age = reply.get("parameters", {}).get("location", {}).get("age")
            outcome.promise(age is not None and 0 <= age <= 1, f"a location no older than a second: {reply}")
            got.close()
            waiting = list(waits_for_the_wall_clock(service.pid))
            outcome.promise(not waiting, f"waits for the wall clock: {waiting}")
        for number in range(100):
            step((YEAR, -YEAR)[number % 2])
            time.sleep(0.05)
        step(0)
        report = watches.report()
        stage.nothing_is_lost(report)
        outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.promise(not {"lost", "starting", "unavailable"} & set(report["states"]),
                        f"the watches were told {report['states']}")
        outcome.promise(report["silence"] < 1, f"one watch heard nothing for {report['silence']:.2f} s")
        outcome.remark("the steps show in `since` of a client; nothing in the kernel waits by the wall clock")
        outcome.settle(service)
        return outcome


FAULTS = [stepped]
