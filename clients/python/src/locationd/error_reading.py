"""The errors that replies name. Pure: no I/O."""

from .enums import Authorization
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
)
from .reading import read_location
from .wire import Reply


def read_error(name: str, reply: Reply) -> LocationdError:
    """The error that a reply names. Raises `Unreadable`."""
    fields = reply.parameters
    match name.removeprefix("org.locationd.location."):
        case "NotAuthorized":
            return NotAuthorized(fields.choice_or_none("authorization", Authorization), fields.text_or_none("reason"))
        case "Disabled":
            return Disabled()
        case "LocationUnavailable":
            return LocationUnavailable(fields.text_or_none("reason"), fields.object_or_none("best", read_location))
        case "TimedOut":
            return TimedOut(fields.object_or_none("best", read_location))
        case "TooManyClients":
            return TooManyClients(fields.integer("limit"))
        case "TooManyRequests":
            return TooManyRequests(fields.integer("limit"))
        case "TooManyAuthorizations":
            return TooManyAuthorizations(fields.integer("limit"))
        case "TooManyRegions":
            return TooManyRegions(fields.integer("limit"))
        case "NoSuchMonitor":
            return NoSuchMonitor(fields.text("name"))
        case "MonitorInUse":
            return MonitorInUse(fields.text("name"))
        case "org.varlink.service.InvalidParameter":
            return InvalidParameter(fields.text_or_none("parameter") or "a parameter", fields.text_or_none("reason"))
        case "org.varlink.service.PermissionDenied":
            return PermissionDenied()
        case "org.varlink.service.MethodNotFound":
            method = fields.text_or_none("method") or "the method"
            return LocationdError(f"The daemon does not know {method}: it is older than this library; upgrade it.", name)
    reason = fields.text_or_none("reason")
    return LocationdError(f"The daemon refuses the call with {name}" + (f": {reason}" if reason else "; upgrade this library."), name)
