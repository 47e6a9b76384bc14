"""Where this machine is: the client of locationd, CoreLocation for Linux.

    from locationd import Client, Location

    with Client() as client:
        for update in client.watch(purpose="tide tables"):
            print(update)

`Client` blocks, `AsyncClient` is for asyncio. A watch outlives the daemon: an outage is a status, and no fix is
delivered twice.
"""

from .aio import AsyncClient, AsyncMonitor, AsyncWatch
from .base import MonitorUpdate, WatchUpdate
from .client import Client, Monitor, Watch
from .enums import (
    Accuracy,
    AccuracyBasis,
    ActivityType,
    Antenna,
    Augmentation,
    Authorization,
    AuthorizationLevel,
    EstimateBasis,
    Implausibility,
    Method,
    Mode,
    RegionEvent,
    RegionState,
    SourceState,
)
from .errors import (
    Disabled,
    InvalidParameter,
    LocationdError,
    LocationUnavailable,
    MonitorInUse,
    NoSuchMonitor,
    NotAuthorized,
    PermissionDenied,
    TimedOut,
    TooManyAuthorizations,
    TooManyClients,
    TooManyRegions,
    TooManyRequests,
    Unreachable,
)
from .history import AsyncHistory, History, Stay, TrackPoint, Trip
from .monitoring import Coordinate, MonitorInformation, Region, RegionReport, SignificantChange, Visit
from .types import (
    ErrorEllipse,
    Heading,
    Location,
    RankedSource,
    Receiver,
    Satellite,
    Satellites,
    Source,
    Status,
)
from .version import __version__

__all__ = [
    "Accuracy",
    "AccuracyBasis",
    "ActivityType",
    "Antenna",
    "AsyncClient",
    "AsyncHistory",
    "AsyncMonitor",
    "AsyncWatch",
    "Augmentation",
    "Authorization",
    "AuthorizationLevel",
    "Client",
    "Coordinate",
    "Disabled",
    "ErrorEllipse",
    "EstimateBasis",
    "Heading",
    "History",
    "Implausibility",
    "InvalidParameter",
    "Location",
    "LocationUnavailable",
    "LocationdError",
    "Method",
    "Mode",
    "Monitor",
    "MonitorInUse",
    "MonitorInformation",
    "MonitorUpdate",
    "NoSuchMonitor",
    "NotAuthorized",
    "PermissionDenied",
    "RankedSource",
    "Receiver",
    "Region",
    "RegionEvent",
    "RegionReport",
    "RegionState",
    "Satellite",
    "Satellites",
    "SignificantChange",
    "Source",
    "SourceState",
    "Status",
    "Stay",
    "TimedOut",
    "TooManyAuthorizations",
    "TooManyClients",
    "TooManyRegions",
    "TooManyRequests",
    "TrackPoint",
    "Trip",
    "Unreachable",
    "Visit",
    "Watch",
    "WatchUpdate",
    "__version__",
]
