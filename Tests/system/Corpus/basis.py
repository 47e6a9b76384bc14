"""What `accuracyBasis` has to be, from what the receiver sent and from gpsd's own numbers.

A receiver whose messages have an accuracy states it; of all others gpsd computes `eph`, as the horizontal dilution times a
range error. Both are read from the log and from gpsd's stream with all that follows, none of which the daemon has when
it decides; that it may say nothing (`None`) is its right where it cannot know yet, and is limited here.

What a receiver is cannot always be told: its statement may be in a message that is not known here, or gpsd may report it with a
later fix, as of Garmin's `$PGRME`. Where gpsd's number contradicts the dilution all about it, the receiver may state it, and only
what the numbers themselves exclude is wrong.
"""

import re
from collections import defaultdict
from dataclasses import dataclass

#: Metres by which gpsd multiplies the dilutions, (horizontal, vertical): with a fix status of 2 and without, and the other way
#: round, because the status may have changed within the epoch. These are the numbers that a receiver without an accuracy has to
#: lead to, which is checked.
CORRECTED, PLAIN = ((4.75, 5.75), (19.0, 23.0)), ((19.0, 23.0), (4.75, 5.75))
#: What `eph` is to the length of `epx` and `epy` where gpsd computes all three.
COMPONENTS = 19 / 15
#: gpsd writes two decimals of a dilution and three of an error.
DILUTION, ERROR = 0.005, 0.0005 + 1e-6
#: SKYs with a dilution after which a receiver that states its accuracy has to be known.
SKIES = 3

#: u-blox: NAV-POSLLH, NAV-PVT, NAV-HPPOSLLH. GREIS: a message SG. Garmin: a PVT record of 64 bytes. Zodiac: message 1000.
#: SiRF: the sentence PSRFEPE; of message 41 gpsd 3.22 passes none on.
STATEMENTS = re.compile(
    rb"\xb5\x62\x01(?:\x02\x1c\x00|\x07[\x54\x5c]\x00|\x14\x24\x00)|[\r\n]SG012|\x10\x33\x40|\xff\x81\xe8\x03"
    rb"|\$PSRFEPE,")


def states_accuracy(log):
    """Whether a receiver's log, as bytes, has messages with an accuracy that gpsd passes on; `None` if that cannot be told."""
    body = b"".join(line for line in log.splitlines(keepends=True) if not line.startswith(b"#"))
    return True if STATEMENTS.search(body) else None if b"$PGRME," in body else False


@dataclass
class Fix:
    """What gpsd told of a fix and of the sky about it."""

    accuracy: float | None
    vertical: float | None
    #: The length of `epx` and `epy`.
    components: float | None
    factors: tuple
    #: Of the last two SKYs before it, and of the first after it.
    before: tuple
    vdop: float | None
    #: SKYs with a dilution of its receiver so far.
    skies: int
    after: float | None = None

    def is_product(self):
        """Whether the accuracy is one of the dilutions about the fix times a factor."""
        return any(_is_product(self.accuracy, dilution, factors[0])
                   for factors in self.factors for dilution in (*self.before, self.after))

    def is_all_products(self):
        """Whether the vertical accuracy is one, too."""
        return self.is_product() and (self.vertical is None or any(
            _is_product(self.vertical, self.vdop, factors[1]) for factors in self.factors))

    def is_steady(self):
        """Whether the dilution is the same all about the fix, so that it is the fix's own."""
        return self.before[0] is not None and set(self.before) == {self.after}

    def follows_from_components(self):
        """Whether the accuracy is computed of the same dilutions as `epx` and `epy`."""
        return self.components is not None and abs(self.accuracy - COMPONENTS * self.components) <= 3 * ERROR


def _is_product(error, dilution, factor):
    return None not in (error, dilution) and abs(error - dilution * factor) <= DILUTION * factor + ERROR


class Witness:
    """Reads gpsd's stream; `fixes` are those that must become locations, in order."""

    def __init__(self):
        self.fixes = []
        self._skies = defaultdict(int)
        self._dilutions = defaultdict(lambda: (None, None))
        self._vdop, self._waiting = {}, defaultdict(list)

    def sky(self, said):
        """Takes a SKY."""
        device, hdop = said.get("device"), said.get("hdop")
        self._dilutions[device] = hdop, self._dilutions[device][0]
        self._vdop[device] = said.get("vdop")
        if hdop is not None:
            self._skies[device] += 1
            for fix in self._waiting.pop(device, []):
                fix.after = hdop

    def fix(self, tpv):
        """Takes a TPV that must become a location."""
        device, east, north = tpv.get("device"), tpv.get("epx"), tpv.get("epy")
        fix = Fix(tpv.get("eph"), tpv.get("epv"), None if None in (east, north) else (east ** 2 + north ** 2) ** 0.5,
                  CORRECTED if tpv.get("status") == 2 else PLAIN, self._dilutions[device], self._vdop.get(device),
                  self._skies[device])
        self._waiting[device].append(fix)
        self.fixes.append(fix)


def first_difference(fixes, bases, states):
    """Compares what the daemon said of one receiver's fixes.

    :param fixes: of `Witness`, those of the receiver.
    :param bases: `accuracyBasis` of each, or `None`.
    :param states: of `states_accuracy`.
    :returns: the first thing that is wrong, in words, or `None`.
    """
    computed = _computed(fixes)
    may_state = may_state_accuracy(fixes, states)
    for number, (fix, basis, is_computed) in enumerate(zip(fixes, bases, computed), 1):
        place = "fix %d (eph %s, hdop %s before, %s after): " % (number, fix.accuracy, fix.before, fix.after)
        if fix.accuracy is None:
            if basis is not None:
                return place + "a basis, %s, of no accuracy" % basis
            continue
        if states and basis == "fromDOP" and not fix.is_all_products():
            return place + "the receiver states its accuracy, and the daemon says fromDOP"
        if basis == "fromDOP" and fix.is_steady() and not is_computed:
            return place + "no dilution explains the accuracy, and the daemon says fromDOP"
        if basis == "stated" and not states and is_computed:
            return place + "the accuracy is gpsd's, and the daemon says stated"
        if basis == "stated" and not may_state:
            return place + "the receiver states no accuracy, and the daemon says stated"
        if basis is None and not may_state and _is_product(fix.accuracy, fix.before[0], fix.factors[0][0]):
            return place + "the accuracy is gpsd's, and the daemon does not say so"
    if states and any(fix.skies > SKIES and fix.accuracy is not None for fix in fixes) and "stated" not in bases:
        return "the receiver states its accuracy, and the daemon never says so"
    return None


def may_state_accuracy(fixes, states):
    """Whether a receiver states its accuracy, or it cannot be told: gpsd has a number that the dilution all about it excludes."""
    return states is not False or any(
        fix.accuracy is not None and fix.is_steady() and not is_computed
        for fix, is_computed in zip(fixes, _computed(fixes)))


def _computed(fixes):
    """For each fix, whether gpsd has computed its accuracy, also of an earlier dilution, which gpsd may keep."""
    computed, products = [], set()
    for fix in fixes:
        computed.append(fix.accuracy is not None and (
            fix.is_product() or fix.accuracy in products or fix.follows_from_components()))
        if computed[-1]:
            products.add(fix.accuracy)
    return computed
