#!/usr/bin/env python3
"""Positions by access points: locationd-nearby beside Debian's GeoClue, asked by the same program of GeoClue's interface.

Both receive the same three access points, and know the same server of ichnaea's protocol, which takes 0.2 s for an answer, as one on the
network does. GeoClue's come from a wpa_supplicant on its bus, ours from a file, because there is no radio here. locationd-nearby asks the
server once, remembers the place, and answers from then on.

Exits with 1 if an answer does not come, if locationd-nearby asks for a place that it knows, answers later than GeoClue, or not within 2 s.
"""

import atexit
import json
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

import import_path  # Makes the packages below importable.
from doubles import geoclue
from doubles.geolocation_server import PLACE, GeolocationServer
from library import harness
from library.daemon import Administrator, Daemon

WHERE_AM_I = "/usr/libexec/geoclue-2.0/demos/where-am-i"
ACCESS_POINTS = 3
#: Seconds of the server's for an answer.
DELAY = 0.2
#: Seconds between two lines of the file of observations: as often as GeoClue scans.
PACE = 10
PATIENCE = 60


class Contender:
    """What is measured: its processes, its bus, and the server it asks."""

    def __init__(self, name, bus, server, pids):
        self.name, self.bus, self.server, self.pids = name, bus, server, pids

    def cpu_seconds(self):
        return sum(harness.cpu_seconds(pid) for pid in self.pids)

    def ask(self):
        """Seconds from the start of a program to its answer."""
        start = time.monotonic()
        program = subprocess.Popen([WHERE_AM_I, "-a", "8", "-t", str(PATIENCE)], env=self.bus.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            text = ""
            for line in program.stdout:
                text += line
                if found := re.search(r"Latitude: +([-0-9.]+)", text):
                    if abs(float(found[1]) - PLACE[0]) > 0.01:
                        sys.exit(f"{self.name} answers {found[1]} instead of {PLACE[0]}")
                    return time.monotonic() - start
            sys.exit(f"{self.name} gives no answer: {text}")
        finally:
            program.kill()
            program.wait()
            program.stdout.close()

    def use(self, seconds):
        """Microseconds of CPU time per second, and requests of the server, while a program wants the position all the time."""
        program = subprocess.Popen([WHERE_AM_I, "-a", "8", "-t", str(seconds + PATIENCE)], env=self.bus.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            before, asked = self.cpu_seconds(), len(self.server.requests)
            time.sleep(seconds)
            return (self.cpu_seconds() - before) / seconds * 1e6, len(self.server.requests) - asked
        finally:
            program.kill()
            program.wait()

    def rest(self, seconds):
        """Microseconds of CPU time per second while nobody wants anything."""
        before = self.cpu_seconds()
        time.sleep(seconds)
        return (self.cpu_seconds() - before) / seconds * 1e6


def start_geoclue(directory):
    server, bus = GeolocationServer(DELAY), geoclue.Bus(directory)
    supplicant = subprocess.Popen(
        ["/usr/bin/python3", pathlib.Path(geoclue.__file__).with_name("wpa_supplicant.py"), bus.address, str(ACCESS_POINTS)],
        stdout=subprocess.PIPE, text=True)
    atexit.register(harness.stop_process, supplicant)
    assert supplicant.stdout.readline() == "ready\n"
    threading.Thread(target=supplicant.stdout.read, daemon=True).start()
    process = geoclue.GeoClue(bus, directory, server=f"{server.url}/v1/geolocate")
    geoclue.start_agent(bus)
    return Contender("geoclue", bus, server, [process.pid, bus.pid])


def start_nearby(directory, daemon_program):
    programs = pathlib.Path(daemon_program).parent
    server, bus = GeolocationServer(DELAY), geoclue.Bus(directory)
    observations = directory / "observations"
    observations.write_text("")
    (directory / "nearby.toml").write_text(f'[online]\nurl = "{server.url}"\ncontact = "admin@example.org"\n')
    flags = {"config": "nearby.toml", "daemon": "locationd.sock", "observations": "observations", "socket": "nearby.sock",
             "control": "nearby-control.sock", "store": "places.sqlite", "key": "key"}
    nearby = subprocess.Popen(
        [programs / "locationd-nearby", *(part for flag, name in flags.items() for part in (f"--{flag}", directory / name))],
        stderr=subprocess.DEVNULL)
    atexit.register(harness.stop_process, nearby)
    harness.wait_for_file(directory / "nearby.sock")
    daemon = Daemon(daemon_program, None, directory, configuration=f'[[sources]]\nkind = "provider"\nname = "nearby"\nsocket = "{directory}/nearby.sock"\n')
    Administrator(daemon).set_authorization(0, "authorizedAlways")
    (directory / "bridge.toml").write_text("")
    bridge = subprocess.Popen([programs / "locationd-bridge", "--config", directory / "bridge.toml", "--daemon", daemon.control, "--geoclue",
                               "--log-level", "warning"], env=bus.environment)
    atexit.register(harness.stop_process, bridge)

    def receive():
        line = json.dumps({"accessPoints": [
            {"bssid": f"00:1a:00:00:0{number}:00", "signal": -60, "ssid": "home"} for number in range(1, ACCESS_POINTS + 1)]}) + "\n"
        while True:
            with open(observations, "a") as file:
                file.write(line)
            time.sleep(PACE)

    threading.Thread(target=receive, daemon=True).start()
    return Contender("locationd", bus, server, [daemon.pid, bridge.pid, nearby.pid, bus.pid])


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--answers", type=int, default=10, help="that are measured of each")
    parser.add_argument("--seconds", type=int, default=60, help="of use and of rest")
    options = parser.parse_args()
    harness.require_root()
    geoclue.require_programs("dbus-daemon", geoclue.PROGRAM, geoclue.AGENT, WHERE_AM_I)
    directory = harness.temporary_directory()
    folders = [directory / name for name in ("geoclue", "locationd")]
    for folder in folders:
        folder.mkdir(mode=0o755)
    contenders = [start_geoclue(folders[0]), start_nearby(folders[1], options.daemon)]

    print(harness.describe_machine())
    print("service    first answer, s   further answers, s (median, most)   requests of them   us/s in use   requests in use   us/s at rest")
    failures, medians = [], {}
    for contender in contenders:
        first = contender.ask()
        asked = len(contender.server.requests)
        times = []
        for _ in range(options.answers):
            times.append(contender.ask())
        requests = len(contender.server.requests) - asked
        use, requests_in_use = contender.use(options.seconds)
        # What is left of use ends.
        time.sleep(PACE)
        rest = contender.rest(options.seconds)
        medians[contender.name] = statistics.median(times)
        print(f"{contender.name:9}  {first:15.2f}   {medians[contender.name]:17.3f}, {max(times):14.3f}   {requests:16}   {use:11.0f}   "
              f"{requests_in_use:15}   {rest:12.0f}", flush=True)
        if contender.name == "locationd":
            if requests or requests_in_use:
                failures.append("locationd-nearby asks for a place that it knows")
            if max(first, *times) > 2:
                failures.append("an answer takes more than 2 s")
    if medians["locationd"] > medians["geoclue"]:
        failures.append("later than GeoClue")
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
