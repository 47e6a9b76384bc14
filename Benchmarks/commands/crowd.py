#!/usr/bin/env python3
"""What floods cost a quiet client: its calls and its fixes, during floods of one user and of eight, in alternation.

Exits with 1 if the quiet client gets an error, loses a fix, waits too long for its calls or gets its fixes too late. Needs
root.
"""

import itertools
import json
import select
import time

import import_path  # Makes the packages below importable.
from library import harness
from library.client import STATUS, Client
from library.daemon import Administrator, Daemon
from library.floods import AUTHORIZED_USERS, FLOODS, Flood

QUIET_USER = 61_002
RATE = 10
CALL_INTERVAL = 0.02
CONFIGURATION = f"""[[sources]]
kind = "simulator"
rate = {RATE}.0
"""


class QuietClient:
    """The client that floods must not affect: one connection for calls, one for a watch."""

    def __init__(self, path):
        with harness.effective_user(QUIET_USER):
            self.caller, self.watcher = Client(path), Client(path).watch()
        self.sequence = None
        self.failures = []

    def run(self, seconds):
        """Calls and reads for so long. Returns the duration of each call and the age of each fix."""
        durations, ages = [], []
        called, start = None, time.monotonic()
        due = start
        while (now := time.monotonic()) < start + seconds or called is not None:
            if called is None and now >= due:
                due += CALL_INTERVAL
                called = time.monotonic()
                self.caller.socket.sendall(STATUS)
            timeout = 1 if called is not None else max(0, due - time.monotonic())
            ready, _, _ = select.select([self.caller.socket, self.watcher.socket], [], [], timeout)
            if self.caller.socket in ready:
                for reply in self.caller.receive():
                    durations.append(time.monotonic() - called)
                    called = None
                    if b'"error"' in reply:
                        self.failures.append(f"a call was answered {reply}")
            if self.watcher.socket in ready:
                now = time.clock_gettime(time.CLOCK_BOOTTIME)
                for reply in self.watcher.receive():
                    self.check(json.loads(reply[:-1]), now, ages)
        return durations, ages

    def check(self, reply, now, ages):
        """Checks one reply of the watch; appends the age of its fix."""
        parameters = reply.get("parameters", {})
        if "error" in reply or parameters.get("dropped"):
            self.failures.append(f"the watch received {reply}")
        if "location" not in parameters:
            return
        location = parameters["location"]
        if self.sequence is not None and location["sequence"] != self.sequence + 1:
            self.failures.append(f"fix {self.sequence} was followed by {location['sequence']}")
        self.sequence = location["sequence"]
        ages.append(now - location["monotonicTime"])


MEASURES = ("calls", "delivery")


def format_row(name, row, baseline):
    def ratio(key):
        return harness.quantile(row[key], 0.99) / harness.quantile(baseline[key], 0.99)

    cells = " ".join(f"{harness.format_percentiles(row[key]):>17} {ratio(key):5.1f}" for key in MEASURES)
    return f"{name:8} {cells}  {100 * row['cpu'] / row['time']:5.0f} %  {'/'.join(map(str, row['done']))}"


def run_round(name, row, daemon, quiet, options):
    """Runs one flood and adds the quiet client's measurements during it to the row."""
    flood = Flood(FLOODS[name], daemon.path, options.nice)
    # By the end of this the flood is under way, and nothing is left of the one before.
    quiet.run(0.4)
    cpu, start = harness.cpu_seconds(daemon.pid), time.monotonic()
    calls, ages = quiet.run(options.seconds)
    row["cpu"] += harness.cpu_seconds(daemon.pid) - cpu
    row["time"] += time.monotonic() - start
    for key, values in zip(MEASURES, (calls, ages)):
        row[key] += values
    row["done"] = [sum(pair) for pair in itertools.zip_longest(row["done"], flood.stop(), fillvalue=0)]
    quiet.run(0.1)


def judge(name, row, allowed, unflooded, options):
    """Yields the failures of a flood.

    `allowed` is the p99 of calls, seconds, for each flooding user, since each may have a turn before the quiet client;
    `unflooded` are the rows without a flood.
    """
    allowed *= max(1, len({user for _, _, *user in FLOODS[name] for user in user}))
    later = harness.quantile(row["delivery"], 0.99) - max(
        harness.quantile(other["delivery"], 0.99) for other in unflooded)
    if later * 1e3 > options.lateness:
        yield f"{name}: p99 of fixes {later * 1e3:.1f} ms later, at most {options.lateness} ms is allowed"
    p99 = harness.quantile(row["calls"], 0.99)
    if p99 > allowed:
        yield f"{name}: p99 of {p99 * 1e3:.1f} ms, at most {allowed * 1e3:.1f} ms is allowed"
    if len(row["delivery"]) < row["time"] * RATE - 2 * options.rounds:
        yield f"{name}: {len(row['delivery'])} fixes of {row['time'] * RATE:.0f} arrived"


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=2, help="of one round of one flood")
    parser.add_argument("--rounds", type=int, default=3, help="of each flood")
    parser.add_argument("--floods", default=",".join(FLOODS), help="which to try, the first to compare with")
    parser.add_argument("--nice", type=int, default=19, help="the niceness of the flood's processes")
    parser.add_argument(
        "--lateness", type=float, default=5, help="by how much the p99 of fixes may be later than without the flood, ms")
    parser.add_argument("--bar", type=float, default=5, help="the p99 of calls that is always allowed, ms")
    options = parser.parse_args()
    harness.require_root()
    harness.raise_open_file_limit()
    daemon = Daemon(options.daemon, None, harness.temporary_directory(), configuration=CONFIGURATION)
    administrator = Administrator(daemon)
    for user in (QUIET_USER, *AUTHORIZED_USERS):
        administrator.set_authorization(user, "authorizedAlways")
    quiet = QuietClient(daemon.path)
    quiet.run(1)
    names = options.floods.split(",")
    rows = {name: {key: [] for key in (*MEASURES, "done")} | {"cpu": 0, "time": 0} for name in names}
    print(harness.describe_machine())
    for turn in range(options.rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            run_round(name, rows[name], daemon, quiet, options)
    print("milliseconds, p50/p99/max, and the ratio of the p99 to that of the first row")
    print("flood                  calls                delivery           CPU  done")
    baseline = rows[names[0]]
    busy = [rows["busy"]] if "busy" in rows else []
    # What the machine alone makes of it is allowed in any case.
    allowed = max(options.bar / 1e3, 5 * harness.quantile(baseline["calls"], 0.99),
                  *(harness.quantile(row["calls"], 0.99) for row in busy))
    failures = quiet.failures[:5]
    for name in names:
        print(format_row(name, rows[name], baseline))
        if name != "busy":
            failures += judge(name, rows[name], allowed, [baseline, *busy], options)
    print(harness.describe_machine())
    if daemon.process.poll() is not None:
        failures.append("the daemon ended")
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
