"""The end of a run: a second receiver whose first fix says that everything before it has passed.

The daemon handles gpsd's stream in order, so once it has delivered the marker's fix, nothing of the log can follow.
"""

import os

from feed import Receiver
from patience import Failure, need, until

#: Where the marker stands; no log does.
PLACE = "0730.0000,S,14500.0000,W"
EPOCHS = 30


def _sentence(body):
    check = 0
    for character in body:
        check ^= ord(character)
    return "$%s*%02X\r\n" % (body, check)


def write(folder):
    """Writes the marker's log, half a minute of a plain NMEA receiver, and returns its path."""
    path = os.path.join(folder, "marker.log")
    with open(path, "w", newline="") as log:
        for second in range(EPOCHS):
            time = "1200%02d.000" % second
            log.write(_sentence("GPRMC,%s,A,%s,0.00,0.00,150621,,,A" % (time, PLACE)))
            log.write(_sentence("GPGGA,%s,%s,1,08,1.0,10.0,M,5.0,M,," % (time, PLACE)))
    return path


async def run(gpsd, oracle, watch, folder):
    """Sends the marker until both gpsd's plain client and the daemon's watch have seen a fix of it.

    :returns: the marker's device, at whose first fix both streams are to be cut.
    """
    receiver = Receiver(write(folder))
    def has_passed():
        return all(any(fix["device"] == receiver.path for fix in fixes) for fixes in (oracle.expected, watch.received))
    try:
        await gpsd.add(receiver.path)
        await need(lambda: receiver.path in oracle.active, 15, "gpsd did not open the marker's device")
        for packet in receiver.packets[:-1]:
            await receiver.send(packet)
            if await until(has_passed, 0.02):
                return receiver.path
        if not await until(has_passed, 5):
            raise Failure("the marker after the log did not arrive within 5 s")
        return receiver.path
    finally:
        receiver.close()


def cut(locations, device):
    """The locations before the first of `device`."""
    return locations[:next(index for index, location in enumerate(locations) if location["device"] == device)]
