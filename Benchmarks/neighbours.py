"""What programs on Debian use instead: its gpsd and its GeoClue, each of the benchmark's own, and what feeds them."""

import atexit
import datetime
import functools
import operator
import os
import pty
import shutil
import socket
import subprocess
import sys
import time
import tty

import stage

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


def sentence(*fields):
    """One sentence of NMEA 0183 with its checksum: all its characters, exclusive or."""
    body = ",".join(fields)
    return f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n"


def epoch(number, moment=None):
    """The GGA and the RMC of a position that says its number, 0 to 59,999; `moment` is UTC, now if left out."""
    moment = moment or datetime.datetime.now(datetime.timezone.utc)
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
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        sys.exit(f"this needs {' '.join(missing)} of Debian; `make packages-bench` installs them")


def compiled_updates(directory):
    """updates.c, which takes the headers of libdbus."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], stdout=subprocess.PIPE, text=True)
    if flags.returncode:
        sys.exit("this needs libdbus-1-dev of Debian; `make packages-bench` installs it")
    program = directory / "updates"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-O2", "-Wall", "-Wextra", "-o", program, stage.HERE / "updates.c",
         *flags.stdout.split()], check=True)
    return program


def ended(process):
    if process.poll() is None:
        process.terminate()
        process.wait(10)


class Receiver:
    """A pseudo terminal that gpsd takes for a receiver."""

    def __init__(self):
        self.descriptor, self._other = pty.openpty()
        tty.setraw(self._other)
        self.path = os.ttyname(self._other)
        # gpsd gives up root before it opens it.
        os.chmod(self.path, 0o666)

    def write(self, data):
        os.write(self.descriptor, data)


class GPSD:
    """Debian's gpsd, on a port of its own; it opens its receivers when somebody watches, as Debian starts it."""

    def __init__(self, directory, *receivers):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            ["gpsd", "-N", "-S", str(self.port), "-F", str(directory / "gpsd.sock"), *receivers],
            env=os.environ | {"GPSD_SHM_KEY": "0x6C660003"}, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        atexit.register(ended, self.process)

    def answered(self):
        """Returns the moment at which it took a connection, CLOCK_MONOTONIC."""
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return time.monotonic()
            except ConnectionRefusedError:
                time.sleep(0.0005)
        raise RuntimeError(f"gpsd ended with {self.process.returncode}")

    def end(self):
        ended(self.process)


class Bus:
    """A dbus-daemon of the benchmark's own."""

    def __init__(self, directory):
        path = directory / "bus"
        (directory / "bus.conf").write_text(BUS.format(path=path))
        directory.chmod(0o755)
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
