"""Debian's GeoClue on a D-Bus of the benchmark's own, and NMEA positions that carry a number."""

import atexit
import datetime
import os
import shutil
import subprocess
import sys

from doubles.real_gpsd import SEARCH_PATH
from library.harness import compile_program, stop_process, wait_for_file
from library.terminal import sentence

PROGRAM = "/usr/libexec/geoclue"
AGENT = "/usr/libexec/geoclue-2.0/demos/agent"
# The distance between the positions of two epochs, arc minutes, and the latitude of the first, degrees.
STEP = 0.001
SOUTH = 52

# Every source but the socket is off, and the benchmark's client needs no consent.
CONFIGURATION = """[agent]
whitelist=geoclue-demo-agent
[network-nmea]
enable=true
nmea-socket={nmea}
[3g]
enable=false
[cdma]
enable=false
[modem-gps]
enable=false
[wifi]
enable=false
[compass]
enable=false
[locationd-bench]
allowed=true
system=true
users=
"""
# A bus without any restrictions.
BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
  </policy>
</busconfig>
"""


def numbered_epoch(number):
    """The GGA and RMC sentences of a position with the present time that encodes the number, 0 to 59,999."""
    now = datetime.datetime.now(datetime.timezone.utc)
    clock = now.strftime("%H%M%S.%f")[:9]
    position = [f"{SOUTH:02}{number * STEP:08.5f}", "N", "01300.00000", "E"]
    return (
        sentence("GPGGA", clock, *position, "1", "10", "0.9", "35.0", "M", "45.0", "M", "", "")
        + sentence("GPRMC", clock, "A", *position, "10.0", "0.0", now.strftime("%d%m%y"), "", "", "A")).encode()


def epoch_number(latitude):
    """The number that `numbered_epoch` encoded in a position, from the latitude in degrees."""
    return round((latitude - SOUTH) * 60 / STEP)


def require_programs(*programs):
    """Ends the benchmark unless these programs of Debian are installed."""
    missing = [program for program in programs if not shutil.which(program, path=SEARCH_PATH)]
    if missing:
        sys.exit(f"this needs {' '.join(missing)} of Debian; `make packages-bench` installs them")


def compile_updates(directory):
    """Compiles updates.c, which needs the headers of libdbus, and returns the program's path."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], stdout=subprocess.PIPE, text=True)
    if flags.returncode:
        sys.exit("this needs libdbus-1-dev of Debian; `make packages-bench` installs it")
    return compile_program("updates", directory, *flags.stdout.split())


class Bus:
    """A dbus-daemon of the benchmark's own."""

    def __init__(self, directory):
        path = directory / "bus"
        (directory / "bus.conf").write_text(BUS_CONFIGURATION.format(path=path))
        self.address = f"unix:path={path}"
        self.environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": self.address}
        self.process = subprocess.Popen(
            ["dbus-daemon", "--config-file", str(directory / "bus.conf"), "--nofork", "--nopidfile"],
            stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        atexit.register(stop_process, self.process)
        wait_for_file(path)


class GeoClue:
    """Debian's GeoClue on that bus, as its own user. It reads NMEA from the socket.

    The path of its configuration is fixed; the benchmark's is mounted there in a mount namespace of its own.
    """

    def __init__(self, bus, directory, nmea):
        configuration = directory / "geoclue.conf"
        configuration.write_text(CONFIGURATION.format(nmea=nmea))
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             'mount --bind "$0" /etc/geoclue/geoclue.conf && '
             f"exec setpriv --reuid=geoclue --regid=geoclue --clear-groups {PROGRAM} --timeout=0",
             str(configuration)], env=bus.environment | {"HOME": "/nonexistent"}, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        atexit.register(self.stop)

    def stop(self):
        stop_process(self.process)


def start_agent(bus):
    """Starts GeoClue's demonstration agent: without an agent GeoClue gives no position to anyone."""
    process = subprocess.Popen(
        [AGENT], env=bus.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(stop_process, process)
