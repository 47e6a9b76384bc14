"""The calls that have one answer, for both clients. Pure: no I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .errors import Unreachable
from .monitoring import MonitorInformation
from .reading import read_error, read_location, read_monitor, read_receiver, read_status
from .transport import explain
from .types import Location, Receiver, Status
from .wire import Fields, Unreadable, encode_call, encode_options, parse_reply

T = TypeVar("T")

INTERFACE = "org.locationd.location."
_DEFAULT_TIMEOUT = 30.0
_LONGEST_TIMEOUT = 86400.0


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A call, and how its answer is read."""

    message: bytes
    read: Callable[[Fields], T]
    extra_patience: float = 0.0
    """Seconds that the daemon may take beyond `SILENCE`."""
    waits: bool = False
    """Whether replies that continue are followed by the answer, however long that takes."""

    def answer(self, path: str, message: bytes) -> T | None:
        """The answer, or `None` if it is still to come. Raises the error that the daemon has replied with."""
        try:
            reply = parse_reply(message)
            if reply.error is not None:
                raise read_error(reply.error, reply)
            answer = self.read(reply.parameters)
        except Unreadable as error:
            raise Unreachable(explain(path, error)) from error
        return None if self.waits and reply.continues else answer


def _call(
    method: str, options: Mapping[str, object], read: Callable[[Fields], T], extra_patience: float = 0.0, more: bool = False
) -> Call[T]:
    return Call(encode_call(INTERFACE + method, encode_options(options), more), read, extra_patience, more)


def get_status() -> Call[Status]:
    return _call("GetStatus", {}, lambda reply: reply.object("status", read_status))


def get_location(options: Mapping[str, object]) -> Call[Location]:
    timeout = options.get("timeout")
    # What the daemon does not allow it refuses at once.
    patience = min(max(timeout, 0), _LONGEST_TIMEOUT) if isinstance(timeout, (int, float)) else _DEFAULT_TIMEOUT
    return _call("GetLocation", options, lambda reply: reply.object("location", read_location), patience)


def list_receivers() -> Call[tuple[Receiver, ...]]:
    return _call("ListReceivers", {}, lambda reply: reply.objects("receivers", read_receiver))


def list_monitors() -> Call[tuple[MonitorInformation, ...]]:
    return _call("ListMonitors", {}, lambda reply: reply.objects("monitors", read_monitor))


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
