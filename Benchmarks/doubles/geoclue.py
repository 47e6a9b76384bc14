"""Debian's GeoClue, of the benchmark's own, and positions that say which they are."""

import atexit
import datetime
import os
import shutil
import subprocess
import sys

from library import harness as stage
from doubles.real_gpsd import PATH
from library.terminal import sentence

# The least the positions of two epochs differ by, arc minutes.
STEP = 0.001
SOUTH = 52

# Everything GeoClue could ask but the socket is off, and its one program needs nobody's consent.
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
url=http://127.0.0.1:9/
[compass]
enable=false
[locationd-bench]
allowed=true
system=true
users=
"""
# A bus on which everybody may do everything.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
  </policy>
</busconfig>
"""


def epoch(number):
    """The GGA and the RMC of a position of now that says its number, 0 to 59,999."""
    moment = datetime.datetime.now(datetime.timezone.utc)
    clock = moment.strftime("%H%M%S.%f")[:9]
    position = [f"{SOUTH:02}{number * STEP:08.5f}", "N", "01300.00000", "E"]
    return (
        sentence("GPGGA", clock, *position, "1", "10", "0.9", "35.0", "M", "45.0", "M", "", "")
        + sentence("GPRMC", clock, "A", *position, "10.0", "0.0", moment.strftime("%d%m%y"), "", "", "A")).encode()


def number(latitude):
    """What `epoch` was given, from the position that came of it, degrees."""
    return round((latitude - SOUTH) * 60 / STEP)


def needed(*programs):
    """Ends the benchmark unless Debian's programs are there."""
    missing = [program for program in programs if not shutil.which(program, path=PATH)]
    if missing:
        sys.exit(f"this needs {' '.join(missing)} of Debian; `make packages-bench` installs them")


def compiled_updates(directory):
    """updates.c, which takes the headers of libdbus."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], stdout=subprocess.PIPE, text=True)
    if flags.returncode:
        sys.exit("this needs libdbus-1-dev of Debian; `make packages-bench` installs it")
    return stage.compiled("updates", directory, *flags.stdout.split())


def ended(process):
    if process.poll() is None:
        process.terminate()
        process.wait(10)


class Bus:
    """A dbus-daemon of the benchmark's own."""

    def __init__(self, directory):
        path = directory / "bus"
        (directory / "bus.conf").write_text(BUS.format(path=path))
        self.address = f"unix:path={path}"
        self.environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": self.address}
        self.process = subprocess.Popen(
            ["dbus-daemon", "--config-file", str(directory / "bus.conf"), "--nofork", "--nopidfile"],
            stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        atexit.register(ended, self.process)
        stage.wait_for(path)


class GeoClue:
    """Debian's GeoClue on that bus, as its own user, with its demonstration agent; it reads the socket `nmea`.

    Its configuration has a fixed place, and is put there in a namespace that nobody else sees.
    """

    def __init__(self, bus, directory, nmea):
        configuration = directory / "geoclue.conf"
        configuration.write_text(CONFIGURATION.format(nmea=nmea))
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             'mount --bind "$0" /etc/geoclue/geoclue.conf && '
             "exec setpriv --reuid=geoclue --regid=geoclue --clear-groups /usr/libexec/geoclue --timeout=0",
             str(configuration)], env=bus.environment | {"HOME": "/nonexistent"}, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        atexit.register(ended, self.process)

    def end(self):
        ended(self.process)


def agent(bus):
    """GeoClue gives nothing to anybody while no agent has said that it is there."""
    process = subprocess.Popen(
        ["/usr/libexec/geoclue-2.0/demos/agent"], env=bus.environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    atexit.register(ended, process)
