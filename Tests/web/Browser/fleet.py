"""The devices that others publish to a broker: a real Mosquitto, locationd-fleet, and a socket as of systemd."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, TOWER, connects, eventually

MARKUP = "<img src=x onerror=window.attacked=1>"


class Fleet:
    """A broker, and behind `socket` a list of its devices for each connection."""

    def __init__(self, binaries):
        self.directory = tempfile.mkdtemp(prefix="locationd-fleet-")
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.socket = f"{self.directory}/devices.sock"
        pathlib.Path(self.directory, "mosquitto.conf").write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self.processes = {}
        self.start_broker()
        # What the unit locationd-fleet-devices@.service does.
        self.start("devices", "systemd-socket-activate", "--accept", "--inetd", "--listen", self.socket,
                   str(pathlib.Path(binaries).resolve() / "locationd-fleet"), "--list-devices", f"--broker=mqtt://127.0.0.1:{self.port}")
        eventually("the socket is there", lambda: pathlib.Path(self.socket).exists())

    def start_broker(self):
        self.start("broker", "/usr/sbin/mosquitto", "-c", f"{self.directory}/mosquitto.conf")
        eventually("the broker listens", lambda: connects(self.port))

    def start(self, name, *command):
        self.processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def publish(self, device, retain=True, **members):
        message = {"_type": "location", "tst": int(time.time())} | members
        command = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-t", f"owntracks/{device}", "-m", json.dumps(message)]
        subprocess.run(command + (["-r"] if retain else []), check=True, timeout=30)

    def count_lists(self):
        """How many processes list the devices now; one more of that command waits for connections."""
        return len(subprocess.run(["pgrep", "-f", f"list-devices --broker=mqtt://127.0.0.1:{self.port}"],
                                  capture_output=True).stdout.split()) - 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.kill(name)
        shutil.rmtree(self.directory)


def devices_are_listed_and_drawn(bench):
    with Fleet(bench.arguments.binaries) as fleet, bench.machine(sources=TOWER, fleet=fleet.socket) as machine, \
            Visit(bench.browser, machine) as visit:
        fleet.publish("anna/boat", lat=54.3233, lon=10.1394, acc=5, vel=12, simulated=True)
        fleet.publish("otto/phone", lat=53.5, lon=9.9, tst=int(time.time()) - 4000, batt=80)
        fleet.publish(f"eve/{MARKUP}", lat=50, lon=8)
        fleet.publish("eve/liar", lat=148, lon=8)
        page = visit.sign_in(view="fleet")
        expect(page.locator("#fleet-state")).to_contain_text("Devices: 3.")
        expect(page.locator("#fleet-state")).to_contain_text(": 1.")
        boat, phone = (page.locator("#devices tr", has_text=name) for name in ("anna/boat", "otto/phone"))
        for words in ("54.323300, 10.139400", "± 5.0 m", "12.0 km/h", "simulated"):
            expect(boat).to_contain_text(words)
        expect(boat).not_to_contain_text("old")
        for words in ("old", "1 h 6 min", "battery 80 %"):
            expect(phone).to_contain_text(words)
        expect(page.locator(".device", has_text="otto/phone")).to_have_class(re.compile(r"(^|\s)old(\s|$)"))
        expect(page.locator(".device", has_text="anna/boat")).to_have_class(re.compile(r"(^|\s)simulated(\s|$)"))
        # What others have written is text.
        expect(page.locator("#devices th", has_text=MARKUP)).to_be_visible()
        assert page.locator("main img").count() == 0 and page.evaluate("window.attacked") is None
        phone.get_by_role("button", name="Show otto/phone on the map").click()
        visit.screenshot(bench.screenshots, "fleet")
        assert fleet.count_lists() == 1
        visit.show("sky")
        eventually("the list ends with its page", lambda: fleet.count_lists() == 0)
        visit.show("fleet")
        eventually("it is listed again", lambda: fleet.count_lists() == 1)


def last_will_and_late_messages_are_what_they_are(bench):
    with Fleet(bench.arguments.binaries) as fleet, bench.machine(sources=TOWER, fleet=fleet.socket) as machine, \
            Visit(bench.browser, machine) as visit:
        now = int(time.time())
        page = visit.sign_in(view="fleet")
        expect(page.locator("#fleet-state")).to_have_text("No device has reported a position.")
        fleet.publish("anna/boat", lat=54, lon=10, tst=now)
        boat = page.locator("#devices tr", has_text="anna/boat")
        expect(boat).to_contain_text("54.000000, 10.000000")
        fleet.publish("anna/boat", retain=False, **{"_type": "lwt"})
        expect(boat).to_contain_text("gone")
        expect(boat).to_contain_text("54.000000, 10.000000")
        # A device that sends its backlog is there again; where it was before is not where it is.
        fleet.publish("anna/boat", retain=False, lat=53, lon=9, tst=now - 900)
        expect(boat).not_to_contain_text("gone")
        expect(boat).to_contain_text("54.000000, 10.000000")
        fleet.publish("anna/boat", lat=55, lon=11, tst=now + 1)
        expect(boat).to_contain_text("55.000000, 11.000000")
        fleet.kill("broker")
        expect(page.locator("#fleet-state")).to_contain_text("The devices cannot be listed")
        expect(boat).to_contain_text("55.000000, 11.000000")
        fleet.start_broker()
        expect(page.locator("#fleet-state")).to_contain_text("Devices: 1.")


def nobody_else_sees_the_fleet(bench):
    with Fleet(bench.arguments.binaries) as fleet, bench.machine(sources=TOWER, fleet=fleet.socket) as machine, \
            Visit(bench.browser, machine, uid=ANNA) as visit:
        page = visit.sign_in(state="notDetermined")
        expect(page.locator("#fleet-link")).to_be_hidden()
        page.evaluate("location.hash = '#fleet'")
        expect(page.locator("#live")).to_be_visible()
        assert page.evaluate("async () => (await fetch('/devices')).status") == 403
        assert page.evaluate("async () => (await (await fetch('/session')).json()).hasFleet") is False
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#fleet-link")).to_be_hidden()
        assert page.evaluate("async () => (await fetch('/devices')).status") == 404


CHECKS = [devices_are_listed_and_drawn, last_will_and_late_messages_are_what_they_are, nobody_else_sees_the_fleet]
