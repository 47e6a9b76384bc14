"""The errors of the interface. `str(error)` says what happened and what to do next."""

from .enums import Authorization
from .types import Location
from .wire import snake_case

_INTERFACE = "org.locationd.location."
_NO_REASON = "The daemon gives no reason."


class LocationdError(Exception):
    """What every error of this package is; by itself, an error that a later daemon has added.

    `name`: the error's name in the interface, such as `org.locationd.location.TimedOut`; `None` for the client's own.
    """

    def __init__(self, sentence: str, name: str | None = None) -> None:
        super().__init__(sentence, name)
        self.sentence = sentence
        self.name = name

    def __str__(self) -> str:
        return self.sentence


class Unreachable(LocationdError):
    """The daemon cannot be reached, does not answer, or its reply cannot be read."""


class NotAuthorized(LocationdError):
    """The client may not know the position.

    `authorization`: as in `Status`. `reason`: the cause, and how it can be changed.
    """

    def __init__(self, authorization: Authorization | None, reason: str | None) -> None:
        self.authorization = authorization
        self.reason = reason or _NO_REASON
        state = "" if authorization is None else f" ({authorization})"
        super().__init__(f"Not authorized{state}: {self.reason}", _INTERFACE + "NotAuthorized")
        self.args = (authorization, reason)


class Disabled(LocationdError):
    """The administrator has switched the service off."""

    def __init__(self) -> None:
        super().__init__(
            "The location service is switched off; an administrator can run `sudo locctl start`.", _INTERFACE + "Disabled"
        )
        self.args = ()


class LocationUnavailable(LocationdError):
    """The receiver cannot be reached.

    `reason`: the cause, and what to do. `best`: a location that did not meet the request.
    """

    def __init__(self, reason: str | None, best: Location | None = None) -> None:
        self.reason = reason or _NO_REASON
        self.best = best
        super().__init__(f"No location is available: {self.reason}", _INTERFACE + "LocationUnavailable")
        self.args = (reason, best)


class TimedOut(LocationdError):
    """No location that meets the request was received in time.

    `best`: the best one that was received.
    """

    def __init__(self, best: Location | None = None) -> None:
        self.best = best
        super().__init__(
            "No location came in time; `locctl diagnose` finds the cause."
            if best is None
            else "No location that is new and accurate enough came in time; allow a longer time, a greater age or a lesser accuracy.",
            _INTERFACE + "TimedOut",
        )
        self.args = (best,)


class _TooMany(LocationdError):
    """`limit`: the maximum."""

    _what = ""
    _next = ""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"{self._what} (the limit is {limit}); {self._next}.", _INTERFACE + type(self).__name__)
        self.args = (limit,)


class TooManyClients(_TooMany):
    """Too many connections are open. `limit`: the maximum of one user, or of all users together."""

    _what = "Too many connections are open"
    _next = "close some, or have an administrator raise the limit in locationd.toml"


class TooManyRequests(_TooMany):
    """The user exceeds the rate limit of calls. `limit`: calls a second."""

    _what = "Too many calls in a second"
    _next = "send fewer, or use a watch instead"


class TooManyAuthorizations(_TooMany):
    """Too many requests for authorization are pending. `limit`: the maximum of one user, or of all users together."""

    _what = "Too many requests for authorization are pending"
    _next = "cancel one, or have an administrator decide (`sudo locctl authorizations` lists them)"


class TooManyRegions(_TooMany):
    """The user, or all users together, would have too many regions or named monitors. `limit`: the limit."""

    _what = "Too many regions are monitored"
    _next = "remove some (`locctl regions` lists the named ones), or have an administrator raise the limit in locationd.toml"


class NoSuchMonitor(LocationdError):
    """There is no monitor of this name, or it was removed. `monitor`: the name."""

    def __init__(self, monitor: str) -> None:
        self.monitor = monitor
        super().__init__(
            f"There is no monitor named {monitor}; `locctl regions` lists the named monitors.", _INTERFACE + "NoSuchMonitor"
        )
        self.args = (monitor,)


class MonitorInUse(LocationdError):
    """Another connection uses the name. `monitor`: the name."""

    def __init__(self, monitor: str) -> None:
        self.monitor = monitor
        super().__init__(
            f"Another program uses the monitor {monitor}; end it, or use another name.", _INTERFACE + "MonitorInUse"
        )
        self.args = (monitor,)


class InvalidParameter(LocationdError):
    """The daemon does not accept a value.

    `parameter`: its name in the interface, which the sentence has in snake_case. `reason`: what is allowed, if the daemon
    says it.
    """

    def __init__(self, parameter: str, reason: str | None = None) -> None:
        self.parameter = parameter
        self.reason = reason
        super().__init__(
            f"{snake_case(parameter)} is not accepted: {reason or 'see its description in the interface'}.",
            "org.varlink.service.InvalidParameter",
        )
        self.args = (parameter, reason)


class PermissionDenied(LocationdError):
    """Only administrators may do that."""

    def __init__(self) -> None:
        super().__init__(
            "The daemon does not permit that to this user; only administrators may do it.", "org.varlink.service.PermissionDenied"
        )
        self.args = ()
