"""Where this machine has been: the track that locationd-history records.

    from locationd import History

    with History() as history:
        for point in history.track(trip=history.trips()[-1].number):
            print(point.time, point.latitude, point.longitude)

Whoever may know the position fully now may read the track. Units and `None` are as in `types`; times are UTC, and a time
of the program that has no zone is local.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import TypeVar

from .aio import AsyncConnector
from .calls import Call
from .client import Connector
from .errors import LocationdError, NotAuthorized
from .track import Stay, TrackPoint, Trip, read_stay, read_track_point, read_trip
from .transport import SocketPath, explain
from .wire import Fields, Reply, encode_call, encode_options

T = TypeVar("T")

INTERFACE = "org.locationd.history."
DEFAULT_PATH = "/run/locationd-history/history.sock"


def _read_error(name: str, reply: Reply) -> LocationdError:
    reason = reply.parameters.text_or_none("reason")
    match name.removeprefix(INTERFACE):
        case "NotAuthorized":
            error = NotAuthorized(None, reason)
            error.name = name
            return error
        case "NoSuchTrip":
            reason = f"there is no trip {reply.parameters.integer('number')}, or not any more"
        case "Busy":
            reason = "too many programs read the track at this moment; try again later"
        case "Cancelled":
            reason = "locationd-history was stopped during the call"
    return LocationdError(f"The track cannot be read: {reason or name}.", name)


def _explain(path: str, error: Exception) -> str:
    match error:
        case FileNotFoundError() | NotADirectoryError() | ConnectionRefusedError():
            return f"There is no track history at {path}; `sudo systemctl enable --now locationd-history` starts the recording."
    return explain(path, error)


def _call(method: str, name: str, read: Callable[[Fields], T], more: bool = False, **options: object) -> Call[tuple[T, ...]]:
    # `from` is no name in Python. A time without a zone is local.
    names = {"begin": "from", "end": "to"}
    parameters = {
        names.get(option, option): value.astimezone(UTC) if isinstance(value, datetime) else value for option, value in options.items()
    }
    message = encode_call(INTERFACE + method, encode_options(parameters), more)
    return Call(message, lambda reply: reply.objects(name, read), more, read_error=_read_error, explain=_explain)


def _track(begin: datetime | None, end: datetime | None, trip: int | None, include_simulated: bool) -> Call[tuple[TrackPoint, ...]]:
    return _call("GetTrack", "points", read_track_point, True, begin=begin, end=end, trip=trip, include_simulated=include_simulated)


class History(Connector):
    """The track, for programs with threads, or without; see `Client` for threads, signals and `close`."""

    def __init__(self, socket_path: SocketPath = DEFAULT_PATH) -> None:
        """Makes no connection. Raises `ValueError` for a path that no socket can have."""
        super().__init__(socket_path)

    def trips(self, *, begin: datetime | None = None, end: datetime | None = None) -> list[Trip]:
        """The trips that touch a time, the oldest first; without `begin` or `end` it has no limit there.

        About 5,000 fit into an answer: a longer time is asked for in parts. Raises `NotAuthorized`, `Unreachable`, and
        `LocationdError` for what is wrong with the recording.
        """
        trips = self._perform(_call("GetTrips", "trips", read_trip, begin=begin, end=end))
        return list(trips)

    def stays(self, *, begin: datetime | None = None, end: datetime | None = None) -> list[Stay]:
        """The stays that touch a time, likewise."""
        stays = self._perform(_call("GetStays", "stays", read_stay, begin=begin, end=end))
        return list(stays)

    def track(
        self, *, begin: datetime | None = None, end: datetime | None = None, trip: int | None = None, include_simulated: bool = False
    ) -> Iterator[TrackPoint]:
        """The track of a time, or of a trip by its `number`, the oldest point first, as far as it is recorded now.

        It is read as the program goes on. `include_simulated`: simulated and replayed points too. Raises as `trips`, also
        in between, where the program's user may not know the position any more.
        """
        for points in self._answers(_track(begin, end, trip, include_simulated)):
            yield from points


class AsyncHistory(AsyncConnector):
    """The track for asyncio: the methods of `History`."""

    def __init__(self, socket_path: SocketPath = DEFAULT_PATH) -> None:
        """As of `History`."""
        super().__init__(socket_path)

    async def trips(self, *, begin: datetime | None = None, end: datetime | None = None) -> list[Trip]:
        """As `History.trips`."""
        trips = await self._perform(_call("GetTrips", "trips", read_trip, begin=begin, end=end))
        return list(trips)

    async def stays(self, *, begin: datetime | None = None, end: datetime | None = None) -> list[Stay]:
        """As `History.stays`."""
        stays = await self._perform(_call("GetStays", "stays", read_stay, begin=begin, end=end))
        return list(stays)

    async def track(
        self, *, begin: datetime | None = None, end: datetime | None = None, trip: int | None = None, include_simulated: bool = False
    ) -> AsyncIterator[TrackPoint]:
        """As `History.track`; use it in `contextlib.aclosing` to leave it before its end."""
        async with aclosing(self._answers(_track(begin, end, trip, include_simulated))) as answers:
            async for points in answers:
                for point in points:
                    yield point
