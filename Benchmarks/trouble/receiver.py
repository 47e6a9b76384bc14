"""An invented receiver on a pseudo terminal: it drives north, reports with the time of now, and never waits."""

import os
import threading
import time
import tty

SKY = ((5, 60, 90), (7, 45, 180), (13, 30, 270), (15, 50, 20), (24, 20, 140), (30, 70, 220))


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def epoch(moment, number):
    """The sentences of one fix: CLOCK_REALTIME in seconds, and how many went before."""
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


class Receiver:
    """Reports until it is closed. What nobody reads is lost, as on a serial line."""

    rate = 10

    def __init__(self):
        self.control, terminal = os.openpty()
        tty.setraw(terminal)
        os.set_blocking(self.control, False)
        self.path = os.ttyname(terminal)
        # gpsd gives up root's rights before it opens it a second time.
        os.chmod(self.path, 0o666)
        self._terminal = terminal
        # A whole second, so that every epoch has its tenth.
        self.start = float(round(time.time()))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._drive, daemon=True)
        self._thread.start()

    def _drive(self):
        began, number = time.monotonic(), 0
        while not self._ends.wait(max(0, began + number / self.rate - time.monotonic())):
            for call in (lambda: os.write(self.control, epoch(self.start + number / self.rate, number)),
                         lambda: os.read(self.control, 4096)):
                try:
                    call()
                except BlockingIOError:
                    pass
            number += 1

    def close(self):
        self._ends.set()
        self._thread.join()
        os.close(self.control)
        os.close(self._terminal)
