#!/usr/bin/env python3
"""What one user's flood of the places service costs another: questions of a quiet client, by turns with each flood.

Exits with 1 if the quiet client gets an error or waits too long. Needs root and the places database.
"""

import argparse
import atexit
import pathlib
import subprocess
import sys
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import Client, request
from library.floods import Flood, connected, pipeline

QUIET = 61_002
INTERVAL = 0.02
INTERFACE = "org.locationd.places"
QUESTION = request(f"{INTERFACE}.ReverseGeocode", latitude=52.52, longitude=13.4)


def bad(path, done, connections):
    """Calls as long as they may be, whose parameters are of no use."""
    rest = b',"x":[' + b"[1],2.5," * 7900 + b"0]}}\0"
    pipeline(path, done, connections, [
        b'{"method":"org.locationd.places.Geocode","parameters":{"text":7' + rest[:59_000].rsplit(b",", 1)[0] + b"]}}\0"])


def descriptions(path, done, connections):
    """Asks for the longest answer that costs nothing to ask for."""
    pipeline(path, done, connections, [
        request("org.varlink.service.GetInterfaceDescription", interface=INTERFACE)])


def searches(path, done, connections):
    """Names that very many begin with, one call after the other on each connection."""
    calls = [request(f"{INTERFACE}.Geocode", text=text, limit=100) for text in ("a", "s", "m", "a, Zz", "s, Zz")]
    pipeline(path, done, connections, calls)


def churn(path, done, _):
    """Connects and leaves."""
    while True:
        connected(path).close()
        done.value += 1


FLOODS = {
    "none": [], "bad, 1": [(bad, 1)], "bad, 60": [(bad, 60)], "described": [(descriptions, 60)],
    "searches": [(searches, 16)], "churn": [(churn, 1)],
}


class Quiet:
    """The client that is to notice nothing."""

    def __init__(self, path):
        with stage.user(QUIET):
            self.client = Client(path)
        self.faults = []

    def run(self, seconds):
        """How long each question took."""
        waits = []
        due = end = time.monotonic()
        end += seconds
        while due < end:
            time.sleep(max(0, due - time.monotonic()))
            due += INTERVAL
            began = time.monotonic()
            self.client.socket.sendall(QUESTION)
            while not (replies := self.client.received()):
                pass
            waits.append(time.monotonic() - began)
            if b'"placemarks"' not in replies[0]:
                self.faults.append(f"a question was answered {replies[0]}")
        return waits


def start(options):
    """The service, with a socket of its own."""
    folder = stage.folder()
    configuration, path = folder / "places.toml", str(folder / "places.sock")
    configuration.write_text(f'[service]\ndatabase = "{options.database.resolve()}"\nlog-level = "error"\n')
    program = subprocess.Popen([str(options.program), "--config", str(configuration), "--socket", path])
    atexit.register(program.terminate)
    stage.wait_for(path)
    return program, path


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--program", type=pathlib.Path, default=stage.BUILT.with_name("locationd-places"))
    options.add_argument("--database", type=pathlib.Path, default=stage.HERE.parent / ".build/geodata/places.sqlite")
    options.add_argument("--seconds", type=float, default=2, help="of one round of one flood")
    options.add_argument("--rounds", type=int, default=3, help="of each flood")
    options.add_argument("--nice", type=int, default=19, help="how far the flood stands back for the processor")
    options.add_argument("--bar", type=float, default=20, help="the p99 of questions that is allowed, ms")
    options = options.parse_args()
    stage.need_root()
    program, path = start(options)
    quiet = Quiet(path)
    quiet.run(1)
    print(stage.machine())
    waits, done = {name: [] for name in FLOODS}, dict.fromkeys(FLOODS, 0)
    for turn in range(options.rounds):
        for name in FLOODS if turn % 2 == 0 else reversed(FLOODS):
            flood = Flood(FLOODS[name], path, options.nice)
            quiet.run(0.3)
            waits[name] += quiet.run(options.seconds)
            done[name] += sum(flood.end())
            quiet.run(0.1)
    print("milliseconds, p50/p99/most of the questions, and what the flood has done")
    broken = quiet.faults[:5]
    for name, values in waits.items():
        shown = "/".join(f"{stage.quantile(values, share) * 1e3:.2f}" for share in (0.5, 0.99, 1))
        print(f"{name:10} {shown:>22}  {done[name]}")
        if stage.quantile(values, 0.99) * 1e3 > options.bar:
            broken.append(f"{name}: p99 above {options.bar} ms")
    if program.poll() is not None:
        broken.append("the service ended")
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
