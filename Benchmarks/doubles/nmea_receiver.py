"""A receiver on a pseudo terminal that reports epochs of NMEA 0183 when it is asked to, at an exact rate."""

import datetime
import os
import time

from library.terminal import Terminal, sentence

FIRST_EPOCH = datetime.datetime(2026, 1, 1)
SKY = [
    "GPGSV,3,1,10,03,41,010,46,07,60,200,41,08,30,300,38,11,15,045,33",
    "GPGSV,3,2,10,13,25,070,44,16,52,120,40,19,33,160,37,23,71,240,45",
    "GPGSV,3,3,10,24,48,280,42,28,19,330,36",
]


class NMEAReceiver(Terminal):
    """Drives north; the time of each epoch is a tenth of a second after that of the epoch before.

    The moment before an epoch is written, with one write(2), is noted under the epoch's time.
    """

    def __init__(self, moments):
        super().__init__(is_blocking=False)
        self.moments = moments
        self._number = 0

    def run(self, rate, count):
        """Writes so many epochs, `rate` a second, and returns after the last."""
        start = time.monotonic()
        for n in range(count):
            self._number += 1
            epoch = self._epoch()
            time.sleep(max(0, start + n / rate - time.monotonic()))
            self.moments.note(10 * self._number)
            if os.write(self.descriptor, epoch) != len(epoch):
                raise BlockingIOError("gpsd does not read the terminal")

    def _epoch(self):
        """Motion, position, dilutions and sky. The sentence with the date comes first."""
        time_of_fix = FIRST_EPOCH + datetime.timedelta(milliseconds=100 * self._number)
        clock = time_of_fix.strftime("%H%M%S.") + f"{time_of_fix.microsecond // 1000:03}"
        position = f"4629.{897230 + self._number:06},N,00734.044700,E"
        return "".join(map(sentence, [
            f"GPRMC,{clock},A,{position},19.62,10.4,{time_of_fix:%d%m%y},,,A",
            f"GPGGA,{clock},{position},1,10,2.0,1345.7,M,45.6,M,,",
            "GPGSA,A,3,03,07,08,11,13,16,19,23,24,28,,,3.6,2.0,3.0",
            *SKY,
        ])).encode()
