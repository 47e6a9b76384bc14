"""A pseudo terminal as gpsd's receiver, and sentences of NMEA 0183."""

import functools
import operator
import os
import time
import tty

# Number, elevation and azimuth of each satellite.
SKY = ((5, 60, 90), (7, 45, 180), (13, 30, 270), (15, 50, 20), (24, 20, 140), (30, 70, 220))


class Terminal:
    """A pseudo terminal that exists until it is closed. What gpsd writes to its receiver is ignored."""

    def __init__(self, is_blocking=True):
        self.descriptor, self._gpsd_side = os.openpty()
        # Nothing may turn CR into LF, or echo, before gpsd sets the terminal up itself.
        tty.setraw(self._gpsd_side)
        os.set_blocking(self.descriptor, is_blocking)
        self.path = os.ttyname(self._gpsd_side)
        # gpsd drops root's privileges before it opens the terminal a second time.
        os.chmod(self.path, 0o666)

    def write(self, data):
        """Unless the terminal blocks, data that does not fit is lost, as on a serial line."""
        try:
            os.write(self.descriptor, data)
        except BlockingIOError:
            pass

    def close(self):
        os.close(self.descriptor)
        os.close(self._gpsd_side)


def sentence(*fields):
    """One sentence with its checksum, the exclusive or of all its characters."""
    body = ",".join(fields)
    return f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n"


def epoch(time_of_fix, number):
    """The sentences of one epoch of a drive north and back, at a CLOCK_REALTIME in seconds; the number gives the position."""
    milliseconds = round(time_of_fix * 1000)
    utc = time.gmtime(milliseconds // 1000)
    clock = time.strftime("%H%M%S", utc) + f".{milliseconds % 1000:03d}"
    # It turns after a minute of latitude: a receiver that jumped back would rightly not be believed.
    way = number * 0.0005 % 2
    minutes, course = (way, 0.0) if way <= 1 else (2 - way, 180.0)
    position = f"52{30 + minutes:08.5f},N,01322.65432,E"
    used = ",".join(f"{satellite:02d}" for satellite, _, _ in SKY)
    views = [",".join(f"{satellite:02d},{elevation:02d},{azimuth:03d},42" for satellite, elevation, azimuth in part)
             for part in (SKY[:4], SKY[4:])]
    return "".join(map(sentence, (
        f"GPRMC,{clock},A,{position},9.7,{course},{time.strftime('%d%m%y', utc)},,,A",
        f"GPGGA,{clock},{position},1,06,1.1,35.0,M,44.5,M,,",
        f"GPGSA,A,3,{used},,,,,,,2.0,1.1,1.7",
        f"GPGSV,2,1,06,{views[0]}",
        f"GPGSV,2,2,06,{views[1]}"))).encode()
