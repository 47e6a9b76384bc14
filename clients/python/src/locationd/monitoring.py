"""What a monitor is asked for, and what it delivers. Units and `None` are as in `types`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from .enums import RegionEvent, RegionState
from .types import Location


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A position on WGS 84.

    `latitude`: degrees north, -90 to 90.
    `longitude`: degrees east, -180 to 180.
    """

    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Region:
    """An area to monitor: either a circle, by `center` and `radius`, or a polygon.

    `identifier`: 1 to 256 bytes without control characters, unique in the monitor.
    `center`: the centre of a circle.
    `radius`: metres, 1 to 10000000.
    `polygon`: 3 to 1000 corners, rounded to 1e-7 degrees; lines between them are straight on a map of longitude and latitude.
    `dwell`: seconds inside without a break, 1 to 86400, after which a dwell is reported.
    """

    identifier: str
    center: Coordinate | None = None
    radius: float | None = None
    polygon: Sequence[Coordinate] | None = None
    dwell: float | None = None

    def __post_init__(self) -> None:
        # A list could be changed, has no hash, and does not equal the tuple that the daemon's answer is read into.
        if self.polygon is not None:
            object.__setattr__(self, "polygon", tuple(self.polygon))


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionReport:
    """On which side of a region's border the machine is."""

    identifier: str
    """The region's identifier."""
    state: RegionState | None
    """The state. `None` if a later daemon has another one."""
    event: RegionEvent | None = None
    """The event that caused the report, if any."""
    location: Location | None = None
    """The fix that decided it; `None` while the state is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificantChange:
    """When a location is reported as a significant change.

    `distance`: metres from the last reported location, 100 to 1000000. Default: 500.
    `interval`: seconds since then, 60 to 86400, after which a location is reported at any distance. Default: never.
    """

    distance: float | None = None
    interval: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A stay at one place."""

    latitude: float
    """Degrees north, of the centre of its fixes."""
    longitude: float
    """Degrees east."""
    horizontal_accuracy: float
    """Metres; the radius of the circle that contains its fixes."""
    arrival: datetime | None = None
    """When it began, UTC of the receiver."""
    departure: datetime | None = None
    """When it ended, UTC of the receiver."""
    is_present: bool
    """Whether it has not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorInformation:
    """A named monitor."""

    name: str
    """The name."""
    active: bool
    """Whether a connection uses it."""
    regions: tuple[Region, ...]
    """The monitored regions."""
    significant_change: SignificantChange | None = None
    """The monitored significant change."""
    visits: bool
    """Whether visits are monitored."""
    reports: tuple[RegionReport, ...]
    """The states of the regions, as far as the client may know them; each as old as its location."""
