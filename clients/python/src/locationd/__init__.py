"""Where this machine is: the client of locationd, CoreLocation for Linux.

    from locationd import Client, Location

    with Client() as client:
        for update in client.watch(purpose="tide tables"):
            print(update)

`Client` blocks, `AsyncClient` is for asyncio. A watch outlives the daemon: an outage is a status, and no fix is
delivered twice.
"""

from . import enums, track, types
from .aio import AsyncClient, AsyncMonitor, AsyncWatch
from .base import MonitorUpdate, WatchUpdate
from .client import Client, Monitor, Watch
from .enums import *
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
from .history import AsyncHistory, History
from .satellites import Satellites
from .track import *
from .types import *
from .version import __version__

__all__ = [
    "AsyncClient",
    "AsyncHistory",
    "AsyncMonitor",
    "AsyncWatch",
    "Client",
    "Disabled",
    "History",
    "InvalidParameter",
    "LocationUnavailable",
    "LocationdError",
    "Monitor",
    "MonitorInUse",
    "MonitorUpdate",
    "NoSuchMonitor",
    "NotAuthorized",
    "PermissionDenied",
    "Satellites",
    "TimedOut",
    "TooManyAuthorizations",
    "TooManyClients",
    "TooManyRegions",
    "TooManyRequests",
    "Unreachable",
    "Watch",
    "WatchUpdate",
    "__version__",
]
__all__ += enums.__all__
__all__ += types.__all__
__all__ += track.__all__
