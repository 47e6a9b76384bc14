"""A receiver at a real gpsd: sentences of NMEA 0183 on a pseudo terminal."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import tty

INTERVAL = 0.2


class Receiver:
    """Sends five fixes a second, from 48° 07' 02" N, 11° 31' E on, until it loses the fix or ends."""

    def __init__(self, name, ellipse=None, date=None, knots=None):
        """`ellipse`: the longer and the shorter standard deviation, and the direction of the longer.
        `date`: what it takes for the date, as DDMMYY; today's by default.
        `knots`: the speed at which it goes north, which may be changed; without it the receiver stays where it is, and says 22.4."""
        self.ellipse = ellipse
        self.date = date
        self.knots = knots
        #: Minutes beyond 48° N: a minute is a nautical mile. And when it was where, by the monotonic clock.
        self.minutes, self.moments = 7.038, {}
        self.directory = tempfile.mkdtemp(prefix="locationd-receiver-")
        # gpsd gives up its rights before it opens the device.
        os.chmod(self.directory, 0o755)
        self.terminal, slave = os.openpty()
        tty.setraw(slave)
        os.chmod(os.ttyname(slave), 0o666)
        device = f"{self.directory}/{name}"
        os.symlink(os.ttyname(slave), device)
        # The terminal lives as long as somebody has it open.
        self.slave = slave
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.source = f'[[sources]]\nkind = "gpsd"\nport = {port}\n'
        self.gpsd = subprocess.Popen(["/usr/sbin/gpsd", "-N", "-n", "-b", "-S", str(port), device],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.has_fix = True
        self.ended = threading.Event()
        self.writer = threading.Thread(target=self.write)
        self.writer.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.gpsd.terminate()
        self.gpsd.wait()
        self.writer.join()
        os.close(self.terminal)
        os.close(self.slave)
        shutil.rmtree(self.directory)

    def lose_fix(self):
        self.has_fix = False

    def write(self):
        os.set_blocking(self.terminal, False)
        while not self.ended.wait(INTERVAL):
            now = time.time()
            clock = time.strftime("%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 100):02}"
            date = self.date or time.strftime("%d%m%y", time.gmtime(now))
            self.minutes += (self.knots or 0) * INTERVAL / 3600
            place = f"48{self.minutes:07.4f},N,01131.0000,E" if self.has_fix else ",,,"
            self.moments.setdefault(f"{self.minutes:.4f}", time.monotonic())
            speed, course = ("022.4", "084.4") if self.knots is None else (f"{self.knots:05.1f}", "000.0")
            quality, state = ("1", "A") if self.has_fix else ("0", "V")
            try:
                errors = [] if self.ellipse is None else ["GPGST,{},6.0,{},{},{},20.0,20.0,9.0".format(clock, *self.ellipse)]
                for body in (*errors, f"GPGGA,{clock},{place},{quality},08,0.9,545.4,M,46.9,M,,",
                             f"GPRMC,{clock},{state},{place},{speed},{course},{date},,,A"):
                    os.write(self.terminal, sentence(body))
            except BlockingIOError:
                # gpsd does not read now.
                pass


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n".encode()
