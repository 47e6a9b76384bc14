"""The end of a run: a second receiver whose first fix says that everything before it has passed.

The daemon handles gpsd's stream in order, so once it has delivered the marker's fix, nothing of the log can follow.
"""

import itertools
import os

from feed import Receiver
from patience import until

#: Where the marker stands.
PLACE = "0730.0000,S,14500.0000,W"
#: Seconds of its life, far more than are played. gpsd discards what it reads while it looks for a new device's speed:
#: 22 to 40 of these seconds pass until the first fix, and more on a busy machine.
EPOCHS = 900


class Marker:
    """A plain NMEA receiver of our own making."""

    def __init__(self, folder):
        path = os.path.join(folder, "marker.log")
        with open(path, "w", newline="") as log:
            for second in range(EPOCHS):
                time = "12%02d%02d.000" % divmod(second, 60)
                log.write(_sentence("GPRMC,%s,A,%s,0.00,0.00,150621,,,A" % (time, PLACE)))
                log.write(_sentence("GPGGA,%s,%s,1,08,1.0,10.0,M,5.0,M,," % (time, PLACE)))
        self._receiver = Receiver(path)
        self.close = self._receiver.close

    async def run(self, gpsd, oracle, watch):
        """Plays until both gpsd's plain client and the daemon's watch have seen a fix of it.

        :returns: why that did not happen, in words, or `None`.
        """
        await gpsd.add(self._receiver.path)
        if not await until(lambda: self._receiver.path in oracle.active, 15):
            return "gpsd did not open the marker's device"
        def has_passed():
            return self._is_in(oracle.expected) and self._is_in(watch.received)
        for packet in self._receiver.packets[:-1]:
            await self._receiver.send(packet)
            if await until(has_passed, 0.02):
                return None
        return None if await until(has_passed, 30) else "the marker's fix after the log did not arrive"

    def cut(self, locations):
        """The locations before the marker's first."""
        return list(itertools.takewhile(lambda location: location["device"] != self._receiver.path, locations))

    def _is_in(self, locations):
        return any(location["device"] == self._receiver.path for location in locations)


def _sentence(body):
    check = 0
    for character in body:
        check ^= ord(character)
    return "$%s*%02X\r\n" % (body, check)
