"""locationd-fleet at a real Home Assistant, with a receiver at a real gpsd.

    run.py --binaries DIR --tree DIR [--short] [CHECK ...]

`.ci/home-assistant` makes the tree, and runs this in a network of its own. --short: without the ten minutes after which
home follows. Exit status: 0 if all holds, 1 if not, which is printed.
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


@contextlib.contextmanager
def trip(arguments, name, http="", token=None, **keys):
    with Receiver("gps", knots=40.0) as receiver, contextlib.closing(stubs.traccar("van")) as traccar, \
            contextlib.closing(HomeAssistant(arguments.tree, name, http)) as home, \
            Machine(arguments.binaries, receiver.source) as machine:
        machine.add_destination("track", f"traccar+http://127.0.0.1:{traccar.server_port}", device="van")
        van = Trip(receiver, traccar, home, machine)
        van.set_home(token or home.token, **keys)
        machine.start_fleet()
        yield van, home, machine


class Trip:
    """A van that drives, and reports to its Home Assistant, and to Traccar, by which it is seen that it goes on."""

    def __init__(self, receiver, traccar, home, machine):
        self.receiver, self.traccar, self.home, self.machine = receiver, traccar, home, machine

    def set_home(self, token, **keys):
        self.machine.add_destination("home", f"home-assistant+{self.home.url}", token, device="Van", **keys)

    def shown(self):
        """When the receiver was at the place that Home Assistant shows; None if it shows none."""
        attributes = (self.home.state(TRACKER) or {"attributes": {}})["attributes"]
        return self.receiver.moments.get(f"{(attributes.get('latitude', 0) - 48) * 60:.4f}")

    def await_movement(self, since=0):
        """Waits until a place is shown at which the receiver was since that moment."""
        eventually("the tracker moves", lambda: (self.shown() or 0) > since, servers.RECOVERY)

    def let_a_day_pass(self):
        """The program has no other clock than the machine's, so its registration becomes older."""
        self.machine.end("locationd-fleet")
        path = self.machine.directory / "outbox.sqlite"
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as outbox:
            changed = outbox.execute(
                "UPDATE destinations SET memory = json_set(memory, '$.homeAssistant.time', unixepoch() - 90000)"
                " WHERE json_extract(memory, '$.homeAssistant.time') > 0")
            assert changed.rowcount == 1
        self.machine.start_fleet()


def a_tracker_moves(arguments):
    with trip(arguments, "moves") as (van, home, machine):
        van.await_movement()
        delays, last = [], van.shown()
        while len(delays) < 20:
            last = eventually("it moves on", lambda: van.shown() != last and van.shown())
            delays.append(time.monotonic() - last)
        # Of a machine that is busy with something else one may be late.
        assert statistics.median(delays) < servers.LATE, delays
        state = home.state(TRACKER)
        attributes = state["attributes"]
        assert state["state"] == "not_home" and attributes["source_type"] == "gps", state
        assert attributes["speed"] in (20, 21) and attributes["course"] == 0, state
        assert attributes["gps_accuracy"] > 0 and abs(attributes["altitude"] - 545.4) < 1, state
        assert home.state("person.ann")["state"] == "not_home"
        # A restart of the program is no new device.
        machine.restart_fleet()
        van.await_movement(since=time.monotonic())
        assert len(home.registrations()) == 1
        tested = machine.fleet("test", "home")
        assert "has accepted the location" in tested, tested
        expect_secrets(home, machine, tested)
        return f"shown {statistics.median(delays) * 1000:.0f} ms after the receiver has said it"


def expect_secrets(home, machine, printed):
    """Neither the token nor the webhook, which is as good, stands where others than the owner could read it."""
    entries = json.loads((home.folder / ".storage/core.config_entries").read_text())["data"]["entries"]
    [entry] = [entry for entry in entries if entry["domain"] == "mobile_app"]
    shown = printed + machine.log + machine.fleet("status") + machine.fleet("status", "--json")
    shown += machine.process_file("cmdline") + machine.process_file("environ")
    for secret in (home.token, entry["data"]["webhook_id"]):
        assert secret not in shown
        files = [file for file in machine.directory.iterdir()
                 if file.is_file() and secret.encode() in file.read_bytes()]
        assert files and not any(file.stat().st_mode & 0o077 for file in files), files


def a_restart_is_survived(arguments):
    with trip(arguments, "restart") as (van, home, machine):
        van.await_movement()
        entries = home.registrations()
        home.close()
        van.traccar.await_reports(20)
        home.start()
        began, before = time.monotonic(), van.shown()
        shown = eventually("it moves", lambda: van.shown() != before and van.shown(), within=servers.RECOVERY)
        # A report has no time: what is sent late would be shown as if it were now.
        assert shown > began - servers.LATE, f"a place of {began - shown:.1f} s before the start is shown"
        assert home.registrations() == entries
        return f"after {time.monotonic() - began:.1f} s"


def a_deleted_registration_comes_back_once_a_day(arguments):
    with trip(arguments, "deleted") as (van, home, machine):
        def delete():
            [entry] = home.registrations()
            home.request("DELETE", f"/api/config/config_entries/entry/{entry}")

        van.await_movement()
        delete()
        van.let_a_day_pass()
        eventually("it is registered anew", home.registrations, within=servers.RECOVERY)
        van.await_movement(since=time.monotonic())
        delete()
        van.traccar.await_reports(75)
        assert home.registrations() == [], "it was registered twice within a day"
        assert "deleted or disabled" in machine.fleet("status")


def a_disabled_registration_stays_disabled(arguments):
    # Without home = true the program does not ask why reports are not taken, and registers it anew after a day.
    with trip(arguments, "disabled", home=True) as (van, home, machine):
        van.await_movement()
        [entry] = home.registrations()
        home.command("config_entries/disable", entry_id=entry, disabled_by="user")
        van.let_a_day_pass()
        van.traccar.await_reports(75)
        assert home.registrations() == [entry], "a device that somebody has disabled was registered again"
        assert "disabled" in machine.fleet("status")
        home.command("config_entries/disable", entry_id=entry, disabled_by=None)
        van.await_movement(since=time.monotonic())
        assert home.registrations() == [entry]


def a_wrong_token_bans_nobody(arguments):
    ban = "ip_ban_enabled: true\nlogin_attempts_threshold: 3"
    with trip(arguments, "banned", ban, token="wrong") as (van, home, machine):
        for _ in range(3):
            van.traccar.await_reports(20)
            machine.restart_fleet()
        van.traccar.await_reports(20)
        refused = home.log.count("Login attempt or request with invalid authentication")
        assert refused == 1, f"{refused} tries with a wrong token"
        assert home.request("GET", "/api/config")[0] == 200, "the address is banned"
        assert "401" in machine.fleet("status")
        machine.end("locationd-fleet")
        van.set_home(home.token)
        machine.start_fleet()
        van.await_movement(since=time.monotonic())


def home_follows(arguments):
    with trip(arguments, "follows", home=True) as (van, home, machine):
        van.await_movement()
        van.traccar.await_reports(100)
        assert home.home() == HOME, "it follows a machine that moves"
        van.receiver.knots, rest = 0.0, time.monotonic()
        eventually("home follows", lambda: home.home() != HOME, within=900)
        elapsed = time.monotonic() - rest
        assert elapsed > 595, f"after {elapsed:.0f} s"
        place, latitude = home.home(), 48 + van.receiver.minutes / 60
        assert abs(place["latitude"] - latitude) < 1e-4 and abs(place["longitude"] - (11 + 31 / 60)) < 1e-4, place
        assert place["elevation"] in (545, 546) and place["time_zone"] == HOME["time_zone"], place
        eventually("the next report is at home", lambda: home.state(TRACKER)["state"] == "home")
        # Without a movement there is no further call, each of which writes this file.
        content = home.folder / ".storage/core.config"
        written = content.stat().st_mtime_ns
        van.traccar.await_reports(100)
        assert content.stat().st_mtime_ns == written, "home is set without a movement"
        return f"after {elapsed:.0f} s of rest"


CHECKS = [a_tracker_moves, a_restart_is_survived, a_deleted_registration_comes_back_once_a_day,
          a_disabled_registration_stays_disabled, a_wrong_token_bans_nobody, home_follows]


def options(parser):
    parser.add_argument("--tree", required=True, help="the tree that .ci/home-assistant makes")
    parser.add_argument("--short", action="store_true", help="without the ten minutes after which home follows")


if __name__ == "__main__":
    servers.main(CHECKS[:-1] if "--short" in sys.argv else CHECKS, __doc__, options)
