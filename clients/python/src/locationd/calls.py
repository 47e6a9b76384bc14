"""The single calls of the daemon, for both clients. Pure: no I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .error_reading import read_error
from .errors import LocationdError, Unreachable
from .reading import read_location, read_monitor_information, read_receiver, read_status, read_usage
from .transport import explain
from .types import Location, MonitorInformation, Receiver, Status, Usage
from .wire import Fields, Reply, Unreadable, encode_call, encode_options, parse_reply

T = TypeVar("T")

INTERFACE = "org.locationd.location."
_DEFAULT_TIMEOUT = 30.0
_LONGEST_TIMEOUT = 86400.0


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A call, and how its answer is read."""

    message: bytes
    read: Callable[[Fields], T]
    more: bool = False
    """Whether there may be several answers."""
    waits: bool = False
    """Whether each after the first may take however long."""
    extra_patience: float = 0.0
    """Seconds that the first may take beyond `SILENCE`."""
    read_error: Callable[[str, Reply], LocationdError] = read_error
    explain: Callable[[str, Exception], str] = explain

    def answer(self, path: str, message: bytes) -> tuple[T, bool]:
        """An answer, and whether another one follows. Raises the error that the daemon has replied with."""
        try:
            reply = parse_reply(message)
            if reply.error is not None:
                raise self.read_error(reply.error, reply)
            return self.read(reply.parameters), self.more and reply.continues
        except Unreadable as error:
            raise Unreachable(self.explain(path, error)) from error


def _call(
    method: str, options: Mapping[str, object], read: Callable[[Fields], T], extra_patience: float = 0.0, more: bool = False
) -> Call[T]:
    return Call(encode_call(INTERFACE + method, encode_options(options), more), read, more, waits=more, extra_patience=extra_patience)


def get_status() -> Call[Status]:
    return _call("GetStatus", {}, lambda reply: reply.object("status", read_status))


def get_location(options: Mapping[str, object]) -> Call[Location]:
    timeout = options.get("timeout")
    # What the daemon does not allow it refuses at once.
    patience = min(max(timeout, 0), _LONGEST_TIMEOUT) if isinstance(timeout, (int, float)) else _DEFAULT_TIMEOUT
    return _call("GetLocation", options, lambda reply: reply.object("location", read_location), patience)


def list_receivers() -> Call[tuple[Receiver, ...]]:
    return _call("ListReceivers", {}, lambda reply: reply.objects("receivers", read_receiver))


def watch_usage(options: Mapping[str, object]) -> Call[tuple[Usage, ...]]:
    return _call("WatchUsage", options, lambda reply: reply.objects("usage", read_usage))


def list_monitors() -> Call[tuple[MonitorInformation, ...]]:
    return _call("ListMonitors", {}, lambda reply: reply.objects("monitors", read_monitor_information))


def change_regions(options: Mapping[str, object]) -> Call[bool]:
    return _call("ChangeRegions", options, lambda _: True)


def remove_monitor(name: str) -> Call[bool]:
    return _call("RemoveMonitor", {"name": name}, lambda _: True)


def request_authorization(options: Mapping[str, object], wait: bool) -> Call[Status]:
    def read(reply: Fields) -> Status:
        status = reply.object("status", read_status)
        # A daemon that goes has decided nothing.
        if wait and status.reason == "stopping":
            raise Unreachable("locationd was stopped before there was a decision; the request stays, ask again.")
        return status

    return _call("RequestAuthorization", options, read, more=wait)
