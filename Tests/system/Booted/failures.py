"""What ends unasked, or does not answer."""

from patience import until
from scene import expect


def a_killed_daemon_comes_back(scene):
    process = scene.daemon()
    scene.machine.run("kill", "-KILL", process)
    until("another daemon", lambda: scene.daemon() != process)
    scene.sees_fixes()
    expect(int(scene.machine.shows("locationd.service", "NRestarts")) >= 1, "systemd started it again")


def a_daemon_whose_reader_hangs_is_replaced(scene):
    machine = scene.machine
    machine.write("/run/systemd/system/locationd.service.d/watchdog.conf", "[Service]\nWatchdogSec=3\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "locationd.service")
    process = scene.daemon()
    scene.sees_fixes()
    since = scene.cursor()
    freezer = machine.start("python3", "/mnt/freeze-thread.py", process, "gps-reader")
    freezer.line("frozen", lambda line: line == "frozen")
    until("another daemon", lambda: scene.daemon() != process)
    freezer.end()
    expect(any("watchdog" in record["MESSAGE"].lower() for record in scene.log(since)),
           "the journal says that it was the watchdog")
    scene.sees_fixes()
    machine.run("rm", "-r", "/run/systemd/system/locationd.service.d")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "locationd.service")
    scene.sees_fixes()


def gpsd_goes_and_comes(scene):
    machine = scene.machine
    machine.run("systemctl", "stop", "gpsd.socket", "gpsd.service")
    scene.watcher.line("that there is no gpsd", lambda line: line.startswith("no location:") and "gpsd" in line)
    until("the service tells it", lambda: "gpsd" in machine.shows("locationd.service", "StatusText"))
    machine.run("systemctl", "start", "gpsd.socket")
    scene.sees_fixes()
