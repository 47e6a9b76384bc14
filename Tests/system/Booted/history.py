"""The track history, as a package."""

import settings
from patience import until
from scene import expect

UNIT = "locationd-history.service"
FILE = "/var/lib/locationd-history/track.gpkg"
QUESTION = f"""
import sqlite3
rows = sqlite3.connect("{FILE}").execute("SELECT time, horizontal_accuracy FROM points").fetchall()
print(len(rows))
"""


def the_track_is_recorded(scene):
    machine = scene.machine
    [package] = scene.package.parent.glob("locationd-history_*.deb")
    machine.run("apt-get", "install", "-y", f"/mnt/{package.name}")
    expect(machine.shows(UNIT, "ActiveState", "UnitFileState") == ["inactive", "disabled"],
           "it is off until an administrator enables it")
    machine.run("systemctl", "enable", "--now", UNIT)
    until("locations are recorded", lambda: int(machine.run("python3", "-c", QUESTION)) > 0)
    until("its state is told", lambda: "recording" in machine.shows(UNIT, "StatusText"))
    expect(machine.run("stat", "-c", "%U %a", FILE).split() == ["locationd-history", "600"], "it is the service's alone")
    until("the track is served", lambda: "recording" in machine.run("locctl", "track", "status"))
    expect("lasts" in machine.run("locctl", "trips"), "a trip is listed")
    expect("<trkpt" in machine.run("locctl", "track", "--format", "gpx"), "the track is written")
    expect("<trkpt" in machine.run("locctl", "track", "--format", "gpx", "--file", FILE), "also from the file")
    stranger = machine.attempt("setpriv", "--reuid=61234", "--clear-groups", "locctl", "trips")
    expect(stranger.returncode == 4 and "you may not know the position" in stranger.stderr, "not for everybody")
    machine.run("locctl", "track", "pause")
    machine.run("systemctl", "restart", UNIT)
    until("a pause is kept", lambda: "paused since" in machine.run("locctl", "track", "status"))
    machine.run("locctl", "track", "resume")
    machine.run("systemctl", "kill", "--signal=KILL", UNIT)
    machine.run("systemctl", "restart", UNIT)
    expect(int(machine.run("python3", "-c", QUESTION)) > 0, "a kill loses nothing")
    settings.metrics_come(machine, UNIT, "/etc/locationd/history.toml", "locationd_history_")
    machine.run("dpkg", "--purge", "locationd-history")
    expect(machine.attempt("test", "-e", "/var/lib/locationd-history").returncode != 0, "a purge leaves nothing")
    scene.sees_fixes()
