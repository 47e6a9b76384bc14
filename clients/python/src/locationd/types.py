"""The values of the interface, with its names in snake_case.

Units: metres, metres per second, degrees (clockwise from true north), seconds. `None` is unknown, or a value of an
enumeration that a later daemon has added. No number is NaN or infinite.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .enums import (
    Accuracy,
    AccuracyBasis,
    Antenna,
    Augmentation,
    Authorization,
    EstimateBasis,
    Implausibility,
    Method,
    Mode,
    SourceState,
)


def boottime() -> float:
    """The present time of `CLOCK_BOOTTIME`, seconds since the boot; it counts a suspend, and nobody sets it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEllipse:
    """The ellipse of the horizontal error."""

    semi_major_axis: float
    """Half the longer axis, metres."""
    semi_minor_axis: float
    """Half the shorter axis, metres."""
    orientation: float
    """Direction of the longer axis, degrees from true north, 0 to below 180."""
    is_standard_deviation: bool
    """Whether the axes are standard deviations; else their certainty is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a fix comes from."""

    name: str
    """The configured source."""
    device: str | None = None
    """The receiver's device."""
    method: Method | None = None
    """How the location came to be."""
    is_simulated: bool
    """Whether the fix is from a simulator, or was injected by an administrator."""
    is_replayed: bool
    """Whether it is from a recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """One fix, or an estimate where one was asked for."""

    latitude: float
    """Degrees north, -90 to 90."""
    longitude: float
    """Degrees east, -180 to 180."""
    horizontal_accuracy: float | None = None
    """Radius of the circle that contains the position, metres, as the receiver estimates it."""
    accuracy_basis: AccuracyBasis | None = None
    """Where that comes from."""
    error_ellipse: ErrorEllipse | None = None
    """The error's ellipse, where the receiver gives more than a circle."""
    altitude: float | None = None
    """Metres above mean sea level."""
    ellipsoidal_altitude: float | None = None
    """Metres above the WGS 84 ellipsoid."""
    geoid_separation: float | None = None
    """Height of mean sea level above the ellipsoid, metres, as the receiver or gpsd has used it."""
    vertical_accuracy: float | None = None
    """Uncertainty of the altitudes, metres."""
    speed: float | None = None
    """Over ground, metres per second, not negative."""
    speed_accuracy: float | None = None
    """Metres per second."""
    course: float | None = None
    """Direction of travel, degrees, 0 to below 360."""
    course_accuracy: float | None = None
    """Degrees."""
    climb: float | None = None
    """Vertical speed, metres per second, up is positive."""
    climb_accuracy: float | None = None
    """Metres per second."""
    magnetic_variation: float | None = None
    """Magnetic north, degrees east of true north."""
    mode: Mode | None
    """Whether the fix has a measured altitude. `None` if a later daemon has another mode."""
    augmentation: Augmentation | None = None
    """What improved the fix; `None` for a fix by satellites alone."""
    satellites_used: int | None = None
    """Satellites used for the fix."""
    hdop: float | None = None
    """Horizontal dilution of precision."""
    vdop: float | None = None
    """Vertical dilution of precision."""
    pdop: float | None = None
    """Dilution of precision in all three dimensions."""
    antenna: Antenna | None = None
    """The state of the receiver's antenna, if it reports it."""
    jamming: int | None = None
    """The receiver's own jamming indicator, 0 (none) to 255."""
    timestamp: datetime | None = None
    """The receiver's time of the fix, UTC; `None` if it has none. It may run backwards; see `age`."""
    timestamp_implausible: bool | None = None
    """True if `timestamp` is far from the daemon's synchronized clock; position and age are right all the same."""
    implausible: Implausibility | None = None
    """The rule by which the fix is not believed. Only a watch with `every_source` is sent such fixes."""
    basis: EstimateBasis | None = None
    """How an estimate was made; `None` for a fix itself."""
    monotonic_time: float
    """When the daemon received the fix, seconds of `CLOCK_BOOTTIME`. Negative for a fix from before the boot."""
    sequence: int
    """The daemon's number of the fix; it rises strictly."""
    source: Source
    """The source of the fix."""

    def age(self) -> float:
        """Seconds from the fix until now; it counts a suspend, and no change of the wall clock moves it."""
        return boottime() - self.monotonic_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The direction in which the device points, from a compass; not the direction in which it moves."""

    true_heading: float | None = None
    """Degrees from true north, 0 to below 360."""
    magnetic_heading: float | None = None
    """Degrees from magnetic north, 0 to below 360."""
    accuracy: float | None = None
    """Uncertainty of the headings, degrees."""
    pitch: float | None = None
    """Degrees, -90 to 90, nose up is positive."""
    roll: float | None = None
    """Degrees, -180 to 180, right side down is positive."""
    timestamp: datetime | None = None
    """The sensor's time, UTC."""
    monotonic_time: float
    """When it was measured, seconds of `CLOCK_BOOTTIME`, by its age when the reply was read: where the client reads
    late it was earlier."""

    def age(self) -> float:
        """Seconds from the measurement until now, at least."""
        return boottime() - self.monotonic_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Satellite:
    """A satellite in view."""

    gnss: str
    """Its system: GPS, SBAS, Galileo, BeiDou, IMES, QZSS, GLONASS, NavIC or unknown."""
    id: int
    """Its number within the system, from 1."""
    azimuth: float | None = None
    """Degrees, 0 to below 360."""
    elevation: float | None = None
    """Degrees above the horizon, -90 to 90."""
    signal: float | None = None
    """Carrier to noise density, dB-Hz."""
    used: bool
    """Whether it is used for the fix."""


@dataclass(frozen=True, slots=True)
class Satellites:
    """The satellites in view; it can be iterated and has a length."""

    satellites: tuple[Satellite, ...]

    def __iter__(self) -> Iterator[Satellite]:
        return iter(self.satellites)

    def __len__(self) -> int:
        return len(self.satellites)

    def __bool__(self) -> bool:
        """True: it is an update, also when no satellite is in view."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSource:
    """One of several configured sources."""

    name: str
    """Its name in the configuration."""
    state: SourceState | None
    """Its own state. `None` if a later daemon has another one."""
    reason: str | None = None
    """Why it has no fix and what to do, or why it is not used although it has one."""
    fix_age: float | None = None
    """Seconds since the daemon received its newest fix, when the status was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Whether there is a fix for the client, or why there is none.

    In the status of an outage (`connected` is False) the client itself says why the daemon cannot be reached;
    permission is as it was last heard, `None` before that.
    """

    authorization: Authorization | None
    """Whether the client may know the position. `None` if a later daemon has another value."""
    accuracy: Accuracy | None
    """How precisely. `None` if a later daemon has another value."""
    enabled: bool
    """Whether the administrator's master switch is on."""
    source: SourceState | None
    """What the source does. `None` if a later daemon has another state."""
    reason: str | None = None
    """Why there is no fix and what to do, as text for a person."""
    fix_age: float | None = None
    """Seconds since the daemon received the newest fix, when the status was sent."""
    satellites_visible: int | None = None
    """Satellites in view."""
    satellites_used: int | None = None
    """Satellites used for the fix."""
    authorization_pending: bool
    """Whether a request of the client waits for a decision."""
    full_accuracy_pending: bool | None = None
    """Whether a request of the client for full accuracy waits for a decision."""
    authorization_remaining: float | None = None
    """Seconds until an authorization that was granted for a while ends, when the status was sent."""
    stationary: bool | None = None
    """True if the machine has stood at one place for a minute; `None` while it moves or this is unknown."""
    paused: bool | None = None
    """True for a watch that is paused, see `pauses_automatically`."""
    heading_available: bool | None = None
    """Whether a compass sends reports or is configured; False if it has failed, `None` while this is unknown."""
    source_name: str | None = None
    """The source whose fixes are delivered."""
    sources: tuple[RankedSource, ...] | None = None
    """All sources by rank, the preferred one first, if several are configured."""
    compasses: tuple[RankedSource, ...] | None = None
    """The sources of headings alone, if any are configured."""
    connected: bool = True
    """False in the status of an outage, which the client makes while the daemon cannot be reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """A configured source of locations, and one of its receivers."""

    source: str
    """The source's name in the configuration."""
    device: str | None = None
    """The receiver's path; `None` if it is not known, or the source has no receiver."""
