#!/usr/bin/env python3
"""What floods of restricted users by way of bridge, pages and bus cost others, in alternation with no flood.

A look-up of a user takes the daemon 20 ms, as at a directory service. Exits with 1 if a call of locctl's kind, a denial, a
fix, a report of the bridge or a page comes too late, or if a program ends or uses more than half of its unit's memory.
Needs root.
"""

import http.client
import json
import multiprocessing
import os
import pathlib
import queue
import select
import socket
import time

import import_path  # Makes the packages below importable.
from library import harness
from library.client import Client
from library.daemon import Administrator, Daemon
from library.floods import Flood
from library.served_floods import FLOODS, RESTRICTED_USERS, WATCH, session
from library.surroundings import Surroundings

QUIET_USER, CHANGED_USER = 61_002, 61_004
RATE = 10
CONFIGURATION = f"""[[sources]]
kind = "simulator"
rate = {RATE}.0
"""
RESTRICTED = "".join(f'[[rules]]\nuser = {uid}\nauthorization = "restricted"\n' for uid in RESTRICTED_USERS)
# What is measured: its share, what is allowed beyond what there is without a flood, and the most that is allowed, seconds.
BARS = {
    "locctl": (0.95, 0.020), "denial": (0.99, 0.050), "fixes": (0.99, 0.005), "bridge": (0.99, 0.050),
    "pages": (0.95, 0.100),
}


class Probe:
    """A process that measures one thing again and again as a user, and collects the durations."""

    def __init__(self, body, uid, *arguments):
        self.results = multiprocessing.Queue()
        self.process = multiprocessing.Process(target=self.run, args=(body, uid, arguments), daemon=True)
        self.process.start()

    def run(self, body, uid, arguments):
        if uid:
            harness.become_user(uid)
        for duration in body(*arguments):
            self.results.put(duration)

    def collect(self):
        values = []
        while True:
            try:
                values.append(self.results.get_nowait())
            except queue.Empty:
                return values


def ages(replies):
    now = time.clock_gettime(time.CLOCK_BOOTTIME)
    for reply in replies:
        if location := json.loads(reply[:-1]).get("parameters", {}).get("location"):
            yield now - location["monotonicTime"]


def fixes(path):
    """The age of each fix at a watch of the daemon."""
    client = Client(path).watch()
    while True:
        yield from ages(client.receive())


def locctl_calls(control):
    """A connection with one call, as locctl makes them."""
    while True:
        time.sleep(0.05)
        start = time.monotonic()
        with Client(control) as client:
            client.call("org.locationd.admin.ListClients")
        yield time.monotonic() - start


def denials(control, path):
    """From before the administrator's call until it is answered and the user's open watch knows."""
    administrator = Client(control)
    with harness.effective_user(CHANGED_USER):
        watch = Client(path).watch()
    for authorization in iter(lambda: ("denied", "authorizedAlways"), None):
        for value in authorization:
            time.sleep(0.1)
            start = time.monotonic()
            administrator.call(
                "org.locationd.admin.SetAuthorization", principal=f"uid:{CHANGED_USER}", authorization=value)
            if value != "denied":
                continue
            while not any(b'"authorization":"denied"' in reply for reply in watch.receive()):
                pass
            yield time.monotonic() - start


def bridge_reports(port, control):
    """How much later than its fix a report of the bridge comes; the moments of fixes are a watch's of root."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(WATCH)
        moments = Client(control).watch()
        arrived, told, rest = {}, {}, b""
        while True:
            ready, _, _ = select.select([client, moments.socket], [], [])
            now = time.monotonic()
            if moments.socket in ready:
                for reply in moments.receive():
                    if location := json.loads(reply[:-1]).get("parameters", {}).get("location"):
                        told[location["timestamp"]] = now
            if client in ready:
                data = client.recv(1 << 16)
                if not data:
                    raise EOFError("the bridge has closed the connection")
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    report = json.loads(line)
                    if report["class"] == "TPV" and report.get("lat") is not None:
                        arrived[report["time"]] = now
            for moment in sorted(arrived.keys() & told.keys()):
                yield max(0, arrived.pop(moment) - told.pop(moment))


def page_calls(port, surroundings):
    """A page's call over a connection that stays."""
    cookie = session(port, surroundings.link())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Cookie": cookie, "X-Locationd": "1", "Origin": f"http://127.0.0.1:{port}",
               "Content-Type": "application/json"}
    while True:
        time.sleep(0.1)
        start = time.monotonic()
        connection.request("POST", "/call/org.locationd.location.GetStatus", b"{}", headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"a page's call is answered {answer.status}: {answer.read()}")
        answer.read()
        yield time.monotonic() - start


def judge(name, rows, baseline):
    for measure, (share, bar) in BARS.items():
        value, without = (harness.quantile(row[measure], share) for row in (rows[name], rows[baseline]))
        # What the machine makes of it without a flood is allowed in any case; of fixes the bar is beyond that.
        allowed = without + bar if measure == "fixes" else max(bar, 2 * without)
        if not value <= allowed:
            yield (f"{name}: p{share * 100:.0f} of {measure} {value * 1e3:.1f} ms, "
                   f"at most {allowed * 1e3:.1f} ms is allowed")


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--binaries", type=pathlib.Path, default=harness.RELEASE_BUILD, help="of bridge and pages")
    parser.add_argument("--seconds", type=float, default=6, help="of one round of one flood")
    parser.add_argument("--rounds", type=int, default=2, help="of each flood")
    parser.add_argument("--floods", default=",".join(FLOODS), help="which to try, the first to compare with")
    parser.add_argument("--nice", type=int, default=19, help="the niceness of the flood's processes")
    options = parser.parse_args()
    harness.require_root()
    harness.raise_open_file_limit()
    directory = harness.temporary_directory()
    library = harness.compile_program("slow_lookups", directory, "-shared", "-fPIC", "-ldl")
    policy = directory / "policy.toml"
    policy.write_text(RESTRICTED)
    os.environ["LD_PRELOAD"] = str(library)
    daemon = Daemon(options.daemon, None, directory, configuration=CONFIGURATION)
    del os.environ["LD_PRELOAD"]
    administrator = Administrator(daemon)
    administrator.set_authorization(QUIET_USER, "authorizedAlways")
    administrator.set_authorization(CHANGED_USER, "authorizedAlways")
    surroundings = Surroundings(daemon, directory, options.binaries)
    probes = {
        "locctl": Probe(locctl_calls, 0, daemon.control), "denial": Probe(denials, 0, daemon.control, daemon.path),
        "fixes": Probe(fixes, QUIET_USER, daemon.path),
        "bridge": Probe(bridge_reports, QUIET_USER, surroundings.gpsd, daemon.path),
        "pages": Probe(page_calls, QUIET_USER, surroundings.pages, surroundings),
    }
    print(harness.describe_machine())
    time.sleep(2)
    names = options.floods.split(",")
    rows = {name: {key: [] for key in BARS} | {"cpu": 0, "done": 0} for name in names}
    for turn in range(options.rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            flood = Flood(FLOODS[name], surroundings, options.nice)
            time.sleep(1)
            for probe in probes.values():
                probe.collect()
            cpu = harness.cpu_seconds(daemon.pid)
            time.sleep(options.seconds)
            rows[name]["cpu"] += harness.cpu_seconds(daemon.pid) - cpu
            for key, probe in probes.items():
                rows[name][key] += probe.collect()
            rows[name]["done"] += sum(flood.stop())
            time.sleep(1.5)
    print("milliseconds, p50/p99/max")
    print(f"{'flood':8}" + "".join(f"{key:>22}" for key in BARS) + "  daemon's CPU  done")
    failures = []
    for name, row in rows.items():
        cells = "".join(f"{harness.format_percentiles(row[key], digits=1):>22}" for key in BARS)
        print(f"{name:8}{cells}  {100 * row['cpu'] / options.seconds / options.rounds:9.0f} %  {row['done']}")
        failures += judge(name, rows, names[0])
    print("the most memory: " + surroundings.peaks())
    print(harness.describe_machine())
    failures += [f"the probe of {key} has ended" for key, probe in probes.items() if not probe.process.is_alive()]
    failures += surroundings.failures()
    if daemon.process.poll() is not None:
        failures.append("the daemon ended")
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
