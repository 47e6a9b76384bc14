"""locationd-bridge over the daemon under test, and a JSON client of it that keeps each fix it is told.

Of TPV's members these are not compared:

- `ept`, `sep`, `leapseconds`, `ecef…`, `vel…`, `rel…`, `wanglem` and their like: a location does not have them.
- `magtrack`: gpsd 3.22 adds the variation where it has to be subtracted; the bridge does not.
- `alt`, which is `altMSL` or else `altHAE`, and `geoidSep`, `epx` and `epy`, which `LibgpsRoundTripTests` compares.
"""

import os

from oracle import AUGMENTATIONS, MODES, NUMBERS, Oracle
from patience import Failure, last_words, launch, reach

#: The fields that are compared. Those of the sky are left out: the bridge sends the satellites when the daemon does, which
#: is not always before the fix that they belong to.
FIELDS = (*NUMBERS, "mode", "augmentation", "timestamp", "device")


class Bridge:
    """One locationd-bridge process that serves at a Unix socket."""

    def __init__(self, program, control, folder):
        self.program, self.control = program, control
        self.socket, self.log = os.path.join(folder, "bridge.sock"), os.path.join(folder, "bridge.log")
        self.process = None

    async def start(self):
        self.process = launch(
            [self.program, "--daemon", self.control, "--gpsd-socket", self.socket, "--log-level", "warning"], self.log)
        try:
            _, writer = await reach(self.socket, self.process)
            writer.close()
        except Failure as failure:
            raise Failure("the bridge does not listen: " + last_words(self.log)) from failure


class BridgeClient(Oracle):
    """Reads the bridge's stream as the plain client reads gpsd's; no fix is left out."""

    def __init__(self):
        super().__init__()
        #: Whether the bridge watches for this client: the daemon's first word is a TPV without a fix.
        self.is_served = False

    def _fix(self, tpv):
        self.is_served = self.is_served or tpv.get("mode") != 0
        if tpv.get("mode") not in MODES or "lat" not in tpv or "lon" not in tpv:
            return
        location = {field: tpv.get(key) for field, key in NUMBERS.items()}
        location.update(
            mode=MODES[tpv["mode"]], augmentation=AUGMENTATIONS.get(tpv.get("status")), timestamp=tpv.get("time"),
            device=tpv.get("device"))
        self.expected.append(location)


def first_difference(expected, told):
    """The first fix that the bridge's client was told otherwise than gpsd's own, in words, or `None`."""
    if len(told) < len(expected):
        compared = [{field: fix[field] for field in FIELDS} for fix in expected]
        missing = [index + 1 for index, fix in enumerate(compared) if fix not in told]
        return "the bridge told %d of %d fixes, and not the fixes %s" % (len(told), len(expected), missing)
    for index, fix in enumerate(expected):
        names = [field for field in FIELDS if fix[field] != told[index][field]]
        if names:
            return "fix %d of the bridge: " % (index + 1) + "; ".join(
                "%s is %s, gpsd said %s" % (name, told[index][name], fix[name]) for name in names)
    return "the bridge told %d fixes, gpsd %d" % (len(told), len(expected)) if len(told) > len(expected) else None
