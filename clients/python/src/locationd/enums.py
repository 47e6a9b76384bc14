"""The enumerations of the interface.

Each member equals its name there: `status.source == "tracking"` holds. A value that a later daemon has added is read as
`None`, never as another member.
"""

from enum import StrEnum


class AccuracyBasis(StrEnum):
    """Where a horizontal accuracy comes from."""

    STATED = "stated"
    """The receiver states it."""
    FROM_DOP = "fromDOP"
    """Computed from the dilution of precision, because the receiver states none."""


class Mode(StrEnum):
    """The dimensions of a fix."""

    TWO_DIMENSIONAL = "twoDimensional"
    THREE_DIMENSIONAL = "threeDimensional"


class Augmentation(StrEnum):
    """What improved a fix."""

    DGPS = "dgps"
    """Differential corrections."""
    RTK_FIXED = "rtkFixed"
    """Real-time kinematic, ambiguities resolved."""
    RTK_FLOAT = "rtkFloat"
    """Real-time kinematic, ambiguities not resolved."""
    DEAD_RECKONING = "deadReckoning"
    """No satellites."""
    GNSS_DEAD_RECKONING = "gnssDeadReckoning"
    """Satellites and dead reckoning."""
    TIME_ONLY = "timeOnly"
    """An entered position."""
    SIMULATED = "simulated"
    """By the receiver itself."""
    PRECISE = "precise"
    """The military code."""


class Antenna(StrEnum):
    """The state of a receiver's antenna."""

    OK = "ok"
    OPEN = "open"
    """There is none, or its cable is broken."""
    SHORT = "short"
    """It has a short circuit."""


class Implausibility(StrEnum):
    """The rule by which a fix is not believed."""

    NULL_ISLAND = "nullIsland"
    JUMP = "jump"
    TIME_RUNS_BACK = "timeRunsBack"


class EstimateBasis(StrEnum):
    """How an estimate was made."""

    FILTERED = "filtered"
    """From the fix of its time and those before it."""
    PREDICTED = "predicted"
    """From earlier fixes alone, because there is none for its time."""


class Method(StrEnum):
    """How a location came to be."""

    GNSS = "gnss"
    """Measured now by a receiver."""
    FIXED_POSITION = "fixedPosition"
    """Written by a person or a program; nothing measured it."""
    NETWORK = "network"
    """Estimated from radio stations that are heard."""
    SIMULATED = "simulated"
    REPLAYED = "replayed"


class SourceState(StrEnum):
    """What the source of the locations does."""

    STOPPED = "stopped"
    """There is no demand, the switch is off, or the client does not make it run."""
    STARTING = "starting"
    """Connecting."""
    SEARCHING = "searching"
    """Connected, no fix yet."""
    TRACKING = "tracking"
    """Fixes arrive."""
    LOST = "lost"
    """There was a fix."""
    UNAVAILABLE = "unavailable"
    """It cannot be reached; the daemon (in the status of an outage: the client) keeps trying."""


class Authorization(StrEnum):
    """Whether a client may know the position."""

    NOT_DETERMINED = "notDetermined"
    """There is no decision."""
    RESTRICTED = "restricted"
    """The policy forbids it."""
    DENIED = "denied"
    AUTHORIZED_WHEN_IN_USE = "authorizedWhenInUse"
    """While the client's user has an active login session."""
    AUTHORIZED_ALWAYS = "authorizedAlways"


class AuthorizationLevel(StrEnum):
    """What `request_authorization` asks for."""

    WHEN_IN_USE = "whenInUse"
    ALWAYS = "always"


class Accuracy(StrEnum):
    """How precisely a client may know the position."""

    FULL = "full"
    REDUCED = "reduced"


class ActivityType(StrEnum):
    """What the position is used for."""

    OTHER = "other"
    AUTOMOTIVE_NAVIGATION = "automotiveNavigation"
    """Driving."""
    FITNESS = "fitness"
    """On foot or by bicycle."""
    OTHER_NAVIGATION = "otherNavigation"
    """By boat or train."""
    AIRBORNE = "airborne"


class RegionState(StrEnum):
    """On which side of a region's border the machine is."""

    UNKNOWN = "unknown"
    INSIDE = "inside"
    OUTSIDE = "outside"


class RegionEvent(StrEnum):
    """The event that caused a report."""

    ENTERED = "entered"
    EXITED = "exited"
    DWELLED = "dwelled"
