"""A receiver as gpsd sees it: a pseudo terminal, and NMEA 0183."""

import functools
import operator
import os
import time
import tty

SKY = ((5, 60, 90), (7, 45, 180), (13, 30, 270), (15, 50, 20), (24, 20, 140), (30, 70, 220))


class Terminal:
    """Takes what gpsd says to its receiver for granted, and is there as long as this object."""

    def __init__(self, is_blocking=True):
        self.descriptor, self._other = os.openpty()
        # Nobody may turn CR into LF, or echo, before gpsd sets the terminal up itself.
        tty.setraw(self._other)
        os.set_blocking(self.descriptor, is_blocking)
        self.path = os.ttyname(self._other)
        # gpsd gives up root's rights before it opens it a second time.
        os.chmod(self.path, 0o666)

    def write(self, data):
        """Unless it blocks, what nobody reads is lost, as on a serial line."""
        try:
            os.write(self.descriptor, data)
        except BlockingIOError:
            pass

    def close(self):
        os.close(self.descriptor)
        os.close(self._other)


def sentence(*fields):
    """One sentence with its checksum: all its characters, exclusive or."""
    body = ",".join(fields)
    return f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n"


def epoch(moment, number):
    """The sentences of a drive north: CLOCK_REALTIME in seconds, and how many epochs went before."""
    milliseconds = round(moment * 1000)
    now = time.gmtime(milliseconds // 1000)
    clock = time.strftime("%H%M%S", now) + f".{milliseconds % 1000:03d}"
    place = f"52{30 + number * 0.0005 % 1:08.5f},N,01322.65432,E"
    used = ",".join(f"{satellite:02d}" for satellite, _, _ in SKY)
    views = [",".join(f"{satellite:02d},{elevation:02d},{azimuth:03d},42" for satellite, elevation, azimuth in part)
             for part in (SKY[:4], SKY[4:])]
    return "".join(map(sentence, (
        f"GPRMC,{clock},A,{place},9.7,0.0,{time.strftime('%d%m%y', now)},,,A",
        f"GPGGA,{clock},{place},1,06,1.1,35.0,M,44.5,M,,",
        f"GPGSA,A,3,{used},,,,,,,2.0,1.1,1.7",
        f"GPGSV,2,1,06,{views[0]}",
        f"GPGSV,2,2,06,{views[1]}"))).encode()
