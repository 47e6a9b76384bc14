#!/usr/bin/env python3
"""What one user's flood of the places service costs another: the calls of a quiet client, in alternation with each flood.

Exits with 1 if the quiet client gets an error or waits too long. Needs root and the places database.
"""

import atexit
import pathlib
import subprocess
import time

import import_path  # Makes the packages below importable.
from library import harness
from library.client import Client, request
from library.floods import Flood, connection_churn, pipeline

QUIET_USER = 61_002
INTERVAL = 0.02
INTERFACE = "org.locationd.places"
REVERSE_GEOCODE = request(f"{INTERFACE}.ReverseGeocode", latitude=52.52, longitude=13.4)


def invalid_calls(path, done, connections):
    """Calls of the maximal length with invalid parameters."""
    rest = b',"x":[' + b"[1],2.5," * 7900 + b"0]}}\0"
    pipeline(path, done, connections, [
        b'{"method":"org.locationd.places.Geocode","parameters":{"text":7' + rest[:59_000].rsplit(b",", 1)[0] + b"]}}\0"])


def descriptions(path, done, connections):
    """Short calls with a long reply."""
    pipeline(path, done, connections, [
        request("org.varlink.service.GetInterfaceDescription", interface=INTERFACE)])


def searches(path, done, connections):
    """Searches for the beginnings of very many names."""
    calls = [request(f"{INTERFACE}.Geocode", text=text, limit=100) for text in ("a", "s", "m", "a, Zz", "s, Zz")]
    pipeline(path, done, connections, calls)


FLOODS = {
    "none": [], "bad, 1": [(invalid_calls, 1)], "bad, 60": [(invalid_calls, 60)], "described": [(descriptions, 60)],
    "searches": [(searches, 16)], "churn": [(connection_churn, 1)],
}


class QuietClient:
    """The client that floods must not affect."""

    def __init__(self, path):
        with harness.effective_user(QUIET_USER):
            self.client = Client(path)
        self.failures = []

    def run(self, seconds):
        """Calls for so long. Returns the duration of each call."""
        durations = []
        due = end = time.monotonic()
        end += seconds
        while due < end:
            time.sleep(max(0, due - time.monotonic()))
            due += INTERVAL
            start = time.monotonic()
            self.client.socket.sendall(REVERSE_GEOCODE)
            reply = self.client.receive_first()
            durations.append(time.monotonic() - start)
            if b'"placemarks"' not in reply:
                self.failures.append(f"a call was answered {reply}")
        return durations


def start_service(options):
    """The service, with a socket of its own."""
    directory = harness.temporary_directory()
    configuration, path = directory / "places.toml", str(directory / "places.sock")
    configuration.write_text(f'[service]\ndatabase = "{options.database.resolve()}"\nlog-level = "error"\n')
    process = subprocess.Popen([str(options.program), "--config", str(configuration), "--socket", path])
    atexit.register(process.terminate)
    harness.wait_for_file(path)
    return process, path


def main():
    parser = harness.argument_parser(__doc__, with_daemon=False)
    parser.add_argument("--program", type=pathlib.Path, default=harness.RELEASE_BUILD / "locationd-places")
    parser.add_argument(
        "--database", type=pathlib.Path, default=harness.REPOSITORY / ".build/geodata/places.sqlite")
    parser.add_argument("--seconds", type=float, default=2, help="of one round of one flood")
    parser.add_argument("--rounds", type=int, default=3, help="of each flood")
    parser.add_argument("--nice", type=int, default=19, help="the niceness of the flood's processes")
    parser.add_argument("--bar", type=float, default=20, help="the p99 of calls that is allowed, ms")
    options = parser.parse_args()
    harness.require_root()
    process, path = start_service(options)
    quiet = QuietClient(path)
    quiet.run(1)
    print(harness.describe_machine())
    durations, done = {name: [] for name in FLOODS}, dict.fromkeys(FLOODS, 0)
    for turn in range(options.rounds):
        for name in FLOODS if turn % 2 == 0 else reversed(FLOODS):
            flood = Flood(FLOODS[name], path, options.nice)
            quiet.run(0.3)
            durations[name] += quiet.run(options.seconds)
            done[name] += sum(flood.stop())
            quiet.run(0.1)
    print("milliseconds, p50/p99/max of the calls, and what the flood has done")
    failures = quiet.failures[:5]
    for name, values in durations.items():
        print(f"{name:10} {harness.format_percentiles(values):>22}  {done[name]}")
        if harness.quantile(values, 0.99) * 1e3 > options.bar:
            failures.append(f"{name}: p99 above {options.bar} ms")
    if process.poll() is not None:
        failures.append("the service ended")
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
