"""locationd-fleet at a real Home Assistant, with a receiver at a real gpsd.

    run.py --binaries DIR --tree DIR [--short] [CHECK ...]

`.ci/home-assistant` makes the tree, and runs this in a network of its own. --short: without the ten minutes after which home follows.
Exit status: 0 if all holds, 1 if not, which is printed.
"""

import contextlib
import json
import sqlite3
import statistics
import sys
import time

import servers
import stubs
from fleet_machine import Machine, eventually
from home_assistant import HOME, HomeAssistant
from receiver import Receiver

TRACKER = "device_tracker.van"


class Trip:
    """A van with a receiver that drives, and reports to its own Home Assistant, and to Traccar, by which it is seen that it goes on."""

    def __init__(self, arguments, name, http="", token=None, **keys):
        self.ends = contextlib.ExitStack()
        with self.ends:
            self.receiver = self.ends.enter_context(Receiver("gps", knots=40.0))
            self.home = self.ends.enter_context(HomeAssistant(arguments.tree, name, http))
            self.traccar = stubs.traccar("van")
            self.ends.callback(self.traccar.close)
            self.machine = self.ends.enter_context(Machine(arguments.binaries, source=self.receiver.source))
            self.machine.add_destination("track", f"traccar+http://127.0.0.1:{self.traccar.server_port}", device="van")
            self.set_home(token or self.home.token, **keys)
            self.machine.start_fleet()
            self.ends = self.ends.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.ends.__exit__(*exception)

    def set_home(self, token, **keys):
        self.machine.add_destination("home", f"home-assistant+{self.home.url}", token=token, device="Van", **keys)

    def await_reports(self, count):
        """Waits until so many further reports have come to Traccar."""
        self.traccar.await_reports(len(self.traccar.received) + count, within=60)

    def wait_for_a_day(self):
        """The program has no other clock than the machine's, so its registration becomes older."""
        self.machine.end("locationd-fleet")
        with contextlib.closing(sqlite3.connect(self.machine.directory / "outbox.sqlite", isolation_level=None)) as outbox:
            outbox.execute("UPDATE destinations SET memory = json_set(memory, '$.homeAssistant.time', unixepoch() - 90000) WHERE name = 'home'")
        self.machine.start_fleet()

    def shown(self):
        """When the receiver was at the place that Home Assistant shows; None if it shows none."""
        attributes = (self.home.state(TRACKER) or {"attributes": {}})["attributes"]
        return self.receiver.moments.get(f"{(attributes['latitude'] - 48) * 60:.4f}") if "latitude" in attributes else None

    def await_movement(self, since, within=60):
        """Waits until a place is shown at which the receiver was since that moment."""
        eventually("the tracker moves", lambda: (self.shown() or 0) > since, within)


def a_tracker_moves(arguments):
    with Trip(arguments, "moves") as trip:
        home, machine = trip.home, trip.machine
        trip.await_movement(since=0)
        delays, last = [], trip.shown()
        while len(delays) < 20:
            last = eventually("it moves on", lambda: trip.shown() != last and trip.shown())
            delays.append(time.monotonic() - last)
        # Of a machine that is busy with something else one may be late.
        assert statistics.median(delays) < servers.LATE, delays
        state = home.state(TRACKER)
        attributes = state["attributes"]
        assert state["state"] == "not_home" and attributes["source_type"] == "gps", state
        assert attributes["speed"] in (20, 21) and attributes["course"] == 0 and abs(attributes["altitude"] - 545.4) < 1, state
        assert isinstance(attributes["gps_accuracy"], int) and attributes["gps_accuracy"] > 0, state
        assert home.state("person.ann")["state"] == "not_home" and len(home.registrations()) == 1
        # A restart of the program is no new device.
        machine.restart_fleet()
        trip.await_movement(since=time.monotonic())
        assert len(home.registrations()) == 1
        tested = machine.fleet("test", "home")
        assert "accept" in tested, tested
        expect_secrets(trip, tested)
        return f"shown {statistics.median(delays) * 1000:.0f} ms after the receiver has said it, at most {max(delays) * 1000:.0f}"


def expect_secrets(trip, printed):
    """Neither the token nor the webhook, which is as good, stands where others than the owner could read it."""
    home, machine = trip.home, trip.machine
    [entry] = [entry for entry in json.loads((home.folder / ".storage/core.config_entries").read_text())["data"]["entries"]
               if entry["domain"] == "mobile_app"]
    process = f"/proc/{machine.processes['locationd-fleet'].pid}"
    shown = machine.log + printed + machine.fleet("status") + machine.fleet("status", "--json")
    for name in ("cmdline", "environ"):
        with open(f"{process}/{name}") as file:
            shown += file.read()
    for secret in (home.token, entry["data"]["webhook_id"]):
        assert secret not in shown
        for path in machine.directory.rglob("*"):
            if path.is_file() and secret.encode() in path.read_bytes():
                assert path.stat().st_mode & 0o077 == 0, f"others may read {path.name}"


def a_restart_is_survived(arguments):
    with Trip(arguments, "restart") as trip:
        trip.await_movement(since=0)
        entries = trip.home.registrations()
        trip.home.stop()
        trip.await_reports(20)
        trip.home.start()
        began, before = time.monotonic(), trip.shown()
        shown = eventually("a new place is shown", lambda: trip.shown() != before and trip.shown(), within=servers.RECOVERY)
        # It has no place for a time: what is sent late would be shown as if it were now.
        assert shown > began - servers.LATE, f"a place of {began - shown:.1f} s before the start is shown"
        assert trip.home.registrations() == entries
        return f"after {time.monotonic() - began:.1f} s"


def a_deleted_registration_comes_back_once_a_day(arguments):
    with Trip(arguments, "deleted") as trip:
        home = trip.home

        def delete():
            [entry] = home.registrations()
            home.request("DELETE", f"/api/config/config_entries/entry/{entry}")

        trip.await_movement(since=0)
        delete()
        trip.wait_for_a_day()
        eventually("it is registered anew", home.registrations, within=servers.RECOVERY)
        trip.await_movement(since=time.monotonic(), within=servers.RECOVERY)
        delete()
        trip.await_reports(75)
        assert home.registrations() == [], "it was registered twice within a day"
        return trip.machine.fleet("status").strip()


def a_disabled_registration_stays_disabled(arguments):
    with Trip(arguments, "disabled") as trip:
        home = trip.home
        trip.await_movement(since=0)
        [entry] = home.registrations()
        home.command("config_entries/disable", entry_id=entry, disabled_by="user")
        trip.wait_for_a_day()
        trip.await_reports(75)
        assert home.registrations() == [entry], "a device that somebody has disabled was registered again"
        said = trip.machine.fleet("status").strip()
        home.command("config_entries/disable", entry_id=entry, disabled_by=None)
        trip.await_movement(since=time.monotonic(), within=servers.RECOVERY)
        assert home.registrations() == [entry]
        return said


def a_wrong_token_bans_nobody(arguments):
    with Trip(arguments, "banned", http="ip_ban_enabled: true\nlogin_attempts_threshold: 3", token="wrong") as trip:
        home = trip.home
        for _ in range(3):
            trip.await_reports(20)
            trip.machine.restart_fleet()
        trip.await_reports(20)
        refused = home.log.count("Login attempt or request with invalid authentication")
        assert refused == 1, f"{refused} tries with a wrong token"
        assert not (home.folder / "ip_bans.yaml").exists() and home.request("GET", "/api/config")[0] == 200, "the address is banned"
        said = trip.machine.fleet("status").strip()
        trip.machine.end("locationd-fleet")
        trip.set_home(home.token)
        trip.machine.start_fleet()
        trip.await_movement(since=time.monotonic())
        return said


def home_follows(arguments):
    with Trip(arguments, "follows", home=True) as trip:
        home, receiver, content = trip.home, trip.receiver, trip.home.folder / ".storage/core.config"
        trip.await_movement(since=0)
        trip.await_reports(100)
        assert home.home() == HOME, "it follows a machine that moves"
        receiver.knots = 0.0
        rest = time.monotonic()
        eventually("home follows", lambda: home.home() != HOME, within=900)
        elapsed = time.monotonic() - rest
        assert elapsed > 595, f"after {elapsed:.0f} s"
        place, latitude = home.home(), 48 + receiver.minutes / 60
        assert abs(place["latitude"] - latitude) < 1e-4 and abs(place["longitude"] - (11 + 31 / 60)) < 1e-4, place
        assert place["elevation"] in (545, 546) and place["time_zone"] == HOME["time_zone"], place
        # The report that follows is at home, and without a movement there is no further call, each of which writes this file.
        eventually("the tracker is at home", lambda: home.state(TRACKER)["state"] == "home")
        written = content.stat().st_mtime_ns
        trip.await_reports(100)
        assert content.stat().st_mtime_ns == written, "home is set without a movement"
        return f"after {elapsed:.0f} s of rest"


CHECKS = [a_tracker_moves, a_restart_is_survived, a_deleted_registration_comes_back_once_a_day, a_disabled_registration_stays_disabled,
          a_wrong_token_bans_nobody]


def options(parser):
    parser.add_argument("--tree", required=True, help="the tree that .ci/home-assistant makes")
    parser.add_argument("--short", action="store_true", help="without the ten minutes after which home follows")


if __name__ == "__main__":
    servers.main(CHECKS + ([] if "--short" in sys.argv else [home_follows]), __doc__, options)
