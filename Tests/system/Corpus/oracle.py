"""What must arrive: gpsd's own words to a plain JSON client, turned into locations by the rules in `compare.py`."""

import asyncio
import json
import time
from collections import Counter

from basis import Witness
from patience import Failure

#: Location's field for each of TPV's.
NUMBERS = {
    "latitude": "lat", "longitude": "lon", "altitude": "altMSL", "ellipsoidalAltitude": "altHAE", "speed": "speed",
    "course": "track", "climb": "climb", "horizontalAccuracy": "eph", "verticalAccuracy": "epv",
    "speedAccuracy": "eps", "courseAccuracy": "epd", "climbAccuracy": "epc", "magneticVariation": "magvar",
}
#: Location's fields that come from the sky.
SKY = ("satellitesUsed", "hdop", "vdop", "pdop")
#: Every field that is compared; `device` stands for the source's.
FIELDS = (*NUMBERS, "mode", "augmentation", *SKY, "timestamp", "device")

MODES = {2: "twoDimensional", 3: "threeDimensional"}
AUGMENTATIONS = {
    2: "dgps", 3: "rtkFixed", 4: "rtkFloat", 5: "deadReckoning", 6: "gnssDeadReckoning", 7: "timeOnly",
    8: "simulated", 9: "precise",
}
#: Seconds after which a sky is too old to belong to a fix; the daemon forgets it at 10, so a replay stays below.
SKY_LIFE = 8


def strict(text):
    """JSON without the numbers that JSON does not have."""
    def refuse(constant):
        raise ValueError("%s is not JSON" % constant)
    return json.loads(text, parse_constant=refuse)


class Oracle:
    """Reads gpsd's stream line by line and keeps what follows from it, per device."""

    def __init__(self):
        #: The locations that must arrive, in order.
        self.expected = []
        #: For each of them, what is known of its accuracy.
        self.witness = Witness()
        #: Devices that gpsd has open at present.
        self.active = set()
        self.is_watching = False
        #: When the last line came.
        self.heard = time.monotonic()
        self.failure = None
        #: TPVs, and exact repeats among them, of each device.
        self.tpvs, self.repeats = Counter(), Counter()
        #: By device: the dilutions of the last SKY and the count of the last that has one, with their moments; the last fix.
        self._dilutions, self._count, self._last = {}, {}, {}

    async def listen(self, address):
        """Watches gpsd on a port, or at the path of a socket, until it closes; what goes wrong is kept as `failure`."""
        try:
            if isinstance(address, str):
                reader, writer = await asyncio.open_unix_connection(address, limit=1 << 20)
            else:
                reader, writer = await asyncio.open_connection("127.0.0.1", address, limit=1 << 20)
            try:
                writer.write(b'?WATCH={"enable":true,"json":true}\n')
                while line := await reader.readline():
                    self.take(line)
                self.failure = "gpsd closed the plain client's connection"
            finally:
                writer.close()
        except Exception as error:  # whatever it is, this run has no oracle
            self.failure = "the plain client: %s %s" % (type(error).__name__, error)

    def take(self, line):
        """Takes one line of gpsd's."""
        said = strict(line)
        self.heard = time.monotonic()
        kind = said["class"]
        if kind == "TPV":
            self._fix(said)
        elif kind == "SKY":
            device = said.get("device")
            self.witness.sky(said)
            self._dilutions[device] = self.heard, {key: said.get(key) for key in SKY[1:]}
            if "uSat" in said or "satellites" in said:
                used = [satellite.get("used") for satellite in said.get("satellites", [])]
                self._count[device] = self.heard, {"satellitesUsed": said.get("uSat", used.count(True))}
        elif kind == "WATCH":
            self.is_watching = said["enable"] and said["json"]
        elif kind in ("DEVICE", "DEVICES"):
            for device in said.get("devices", [said]):
                (self.active.add if device.get("activated") else self.active.discard)(device.get("path"))

    def _fix(self, tpv):
        self.tpvs[tpv.get("device")] += 1
        if tpv.get("mode") not in MODES or "lat" not in tpv or "lon" not in tpv:
            return
        device = tpv.get("device")
        sky = {}
        for since, fields in filter(None, (self._dilutions.get(device), self._count.get(device))):
            if self.heard - since > SKY_LIFE:
                raise Failure("the replay is too slow: a sky is %.0f s old" % (self.heard - since))
            sky.update(fields)
        location = {field: tpv.get(key) for field, key in NUMBERS.items()}
        location.update({field: sky.get(field) for field in SKY})
        location.update(
            mode=MODES[tpv["mode"]], augmentation=AUGMENTATIONS.get(tpv.get("status")),
            timestamp=tpv.get("time"), device=device)
        # Of both a location has its ellipse, which is not compared.
        fix = location, tpv.get("epx"), tpv.get("epy")
        if location["timestamp"] is not None and self._last.get(device) == fix:
            self.repeats[device] += 1
        else:
            self.expected.append(location)
            self.witness.fix(tpv)
        self._last[device] = fix
