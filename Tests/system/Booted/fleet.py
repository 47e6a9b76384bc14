"""The publisher to an MQTT broker, as a package, with Debian's Mosquitto."""

import json

import settings
from patience import until
from scene import expect

UNIT = "locationd-fleet.service"
SETTINGS = """[broker]
url = "mqtt://127.0.0.1"
user = "anna"
device = "boat"
"""

# What the pages' service reads, until the device is in it.
LIST = """
import socket
reader = socket.socket(socket.AF_UNIX)
reader.settimeout(30)
reader.connect("/run/locationd/fleet-devices.sock")
for line in reader.makefile():
    if "boat" in line:
        print(line)
        break
"""


def the_position_is_published(scene):
    machine = scene.machine
    [package] = scene.package.parent.glob("locationd-fleet_*.deb")
    machine.run("apt-get", "install", "-y", f"/mnt/{package.name}")
    expect(machine.shows(UNIT, "ActiveState", "UnitFileState") == ["inactive", "disabled"],
           "it is off until an administrator enables it")
    machine.run("sh", "-c", f"printf '%s' '{SETTINGS}' >/etc/locationd/fleet.toml")
    machine.run("systemctl", "start", "mosquitto.service")
    machine.run("systemctl", "enable", "--now", UNIT)
    principal = f"unit:{UNIT}"
    if machine.has_older_kernel:
        # It tells the user alone, who exists only while the service runs.
        principal = "uid:" + machine.run("ps", "-o", "uid=", "-p", machine.shows(UNIT, "MainPID")).strip()
    until("its request is pending", lambda: principal in scene.locctl("authorizations"))
    subscriber = machine.start("mosquitto_sub", "-h", "127.0.0.1", "-t", "owntracks/anna/boat")
    scene.locctl("authorize", principal)
    line = subscriber.line("a location", lambda line: '"_type":"location"' in line)
    expect(abs(json.loads(line)["lat"] - 52.5) < 0.1, line)
    subscriber.end()
    machine.run("systemctl", "enable", "--now", "locationd-fleet-devices.socket")
    line = machine.run("python3", "-c", LIST, user="locationd-web")
    expect("boat" in line, f"the pages' service is shown the device: {line}")
    expect(machine.attempt("python3", "-c", LIST, user="alice").returncode != 0, "nobody else is")
    # What is published while the broker is away arrives later.
    machine.run("systemctl", "stop", "mosquitto.service")
    until("it says so", lambda: machine.shows(UNIT, "StatusText").startswith("degraded: "))
    diagnosis = machine.attempt("locctl", "diagnose").stdout
    expect("[!!] fleet" in diagnosis and "mqtt://127.0.0.1" in diagnosis, f"so does locctl: {diagnosis}")
    machine.run("systemctl", "kill", "--signal=KILL", UNIT)
    machine.run("systemctl", "start", "mosquitto.service")
    subscriber = machine.start("mosquitto_sub", "-h", "127.0.0.1", "-t", "owntracks/anna/boat")
    subscriber.line("a location again", lambda line: '"_type":"location"' in line)
    subscriber.end()
    until("it is connected", lambda: machine.shows(UNIT, "StatusText").startswith("connected to the broker"))
    expect("[ok] fleet" in machine.attempt("locctl", "diagnose").stdout, "so says locctl")
    settings.metrics_come(machine, UNIT, "/etc/locationd/fleet.toml", "locationd_fleet_connected 1")
    machine.run("systemctl", "stop", "mosquitto.service")
    scene.locctl("reset-authorization", principal)
    machine.run("dpkg", "--purge", "locationd-fleet")
    expect(machine.attempt("test", "-e", "/var/lib/private/locationd-fleet").returncode != 0, "a purge leaves nothing")
    scene.sees_fixes()
