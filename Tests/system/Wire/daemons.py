"""The daemons that are asked: their configuration, and what they find of an earlier run."""

import grp
import json
import os

from transcript import RUNNING
from wire import Daemon

#: Users whom no system has.
ALICE, BOB, CAROL, DAVE, ERIN = 59001, 59002, 59003, 59004, 59005
#: The group that the configuration trusts.
TRUSTED = grp.getgrnam("daemon").gr_gid
CONTROL = "run/control.sock"

HOME = '[[sources]]\nkind = "static"\nname = "%s"\nlatitude = %s\nlongitude = 2.2945\naltitude = 35\n' \
    'horizontal-accuracy = 10\n'

#: Sources run on once they run, and what they said stays fresh: nothing changes while the script is slow.
CONFIGURATION = """\
[service]
log-level = "warning"
[delivery]
stale-after = 3600
linger = 86400
failover-delay = 600
[access]
group = "daemon"
"""
LIMITS = """\
[limits]
clients = 7
clients-per-user = 3
requests-per-second = 10000
request-size = 2048
authorizations-per-user = 1
regions-per-user = 5
monitors-per-user = 2
regions = 20
"""
NMEA = '[nmea]\nenabled = true\ngroup = "daemon"\n'

#: What the daemon kept: the secret by which reduced accuracy displaces positions, and the last number of a fix.
STATE = '{"checksum":"9c7a0c32","enabled":true,"reduction":{"displacement":{"east":0.25,"north":-0.5},"places":[],' \
    '"size":2000},"sequenceLimit":5000,"version":2}'
#: A visit that lasts.
VISIT = '{"monitors":[{"accuracy":"full","isAuthorized":true,"memory":{"regions":[],"visit":{"fixes":9,"lastFix":' \
    '"2026-01-02T03:04:05.678Z","visit":{"arrival":"2026-01-02T02:04:05.678Z","horizontalAccuracy":12.5,"isPresent":' \
    'true,"latitude":48.8584,"longitude":2.2945}},"visits":true},"name":"v","owner":0}],"monotonicTime":0,"savedAt":' \
    '"2026-01-02T03:04:05.678Z","version":1}'


def prepare(name, program, directory):
    """The daemon of a part, with its files in a new directory."""
    os.mkdir(directory, 0o755)
    os.mkdir(directory + "/state", 0o700)
    if name == "places":
        daemon = Daemon([program, "--socket", directory + "/places.sock", "--config", directory + "/places.toml"],
                        "places.sock", directory)
        daemon.write("places.toml", '[service]\nlog-level = "error"\ndatabase = "%s/none.sqlite"\n' % directory)
        return daemon
    daemon = Daemon([program, "--config", directory + "/locationd.toml", "--runtime-directory", directory + "/run",
                     "--state-directory", directory + "/state"], CONTROL, directory,
                    RUNNING if name == "sources" else [])
    sections = {"limits": LIMITS, "sources": NMEA}.get(name, "")
    # Who may not read it shall not learn from it where the machine is.
    daemon.write("locationd.toml", CONFIGURATION + sections + HOME % ("home", 48.8584), 0o600)
    daemon.write("state/state.json", STATE, 0o600)
    if name == "visits":
        daemon.write("state/monitors.json", VISIT, 0o600)
    return daemon


def fix(latitude, longitude, **others):
    """The parameters of Simulate."""
    return '"location":' + json.dumps(dict(latitude=latitude, longitude=longitude, **others), separators=(",", ":"))


def circle(identifier, latitude, longitude, radius=200, **others):
    return json.dumps(dict(identifier=identifier, center={"latitude": latitude, "longitude": longitude}, radius=radius,
                           **others), separators=(",", ":"))
