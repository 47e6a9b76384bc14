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
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from .aio import AsyncConnector
from .calls import Call
from .client import Connector
from .enums import Method
from .errors import LocationdError, NotAuthorized
from .transport import SocketPath, explain
from .wire import Fields, Reply, encode_call, encode_options

T = TypeVar("T")

INTERFACE = "org.locationd.history."
DEFAULT_PATH = "/run/locationd-history/history.sock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A journey between two stays."""

    number: int
    """Its number, which is never used again."""
    begin: datetime
    """When it began."""
    end: datetime | None = None
    """When it ended; `None` while it lasts, as are the three that follow."""
    distance: float | None = None
    """Metres along the track."""
    duration: float | None = None
    """Seconds."""
    maximum_speed: float | None = None
    """Metres per second; of all its locations, also those that are left out of the track."""
    distance_so_far: float | None = None
    """Metres along the track to the newest point of a trip that lasts."""
    duration_so_far: float | None = None
    """Seconds to the newest point of a trip that lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Five minutes and more at one place."""

    latitude: float
    """Degrees north, of the middle of its locations."""
    longitude: float
    """Degrees east."""
    accuracy: float
    """Metres; the radius of the circle that holds its locations with their uncertainty."""
    arrival: datetime | None = None
    """When it began; `None` if that was before the recording."""
    departure: datetime | None = None
    """When it ended; `None` while it lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackPoint:
    """A location of the track. Between two of them the machine moved in a straight line."""

    time: datetime
    """When the machine was there."""
    latitude: float
    """Degrees north."""
    longitude: float
    """Degrees east."""
    altitude: float | None = None
    """Metres above mean sea level."""
    speed: float | None = None
    """Metres per second over ground."""
    course: float | None = None
    """Degrees from true north, of the movement over ground."""
    horizontal_accuracy: float | None = None
    """Metres; the radius of uncertainty."""
    vertical_accuracy: float | None = None
    """Metres; the uncertainty of the altitude."""
    satellites_used: int | None = None
    """Satellites used."""
    source: str
    """The name of the source."""
    method: Method | None
    """How it came to be. `None` if a later service has another one."""
    simulated: bool
    """Whether software has invented it."""
    after_gap: bool | None = None
    """True if no location came for a while before this one: there is no line to it."""


def _read_trip(fields: Fields) -> Trip:
    return Trip(
        number=fields.integer("number"),
        begin=fields.time("begin"),
        end=fields.time_or_none("end"),
        distance=fields.number_or_none("distance", 0),
        duration=fields.number_or_none("duration", 0),
        maximum_speed=fields.number_or_none("maximumSpeed", 0),
        distance_so_far=fields.number_or_none("distanceSoFar", 0),
        duration_so_far=fields.number_or_none("durationSoFar", 0),
    )


def _read_stay(fields: Fields) -> Stay:
    return Stay(
        latitude=fields.number("latitude", -90, 90),
        longitude=fields.number("longitude", -180, 180),
        accuracy=fields.number("accuracy", 0),
        arrival=fields.time_or_none("arrival"),
        departure=fields.time_or_none("departure"),
    )


def _read_point(fields: Fields) -> TrackPoint:
    return TrackPoint(
        time=fields.time("time"),
        latitude=fields.number("latitude", -90, 90),
        longitude=fields.number("longitude", -180, 180),
        altitude=fields.number_or_none("altitude"),
        speed=fields.number_or_none("speed", 0),
        course=fields.number_or_none("course", 0, below=360),
        horizontal_accuracy=fields.number_or_none("horizontalAccuracy", 0),
        vertical_accuracy=fields.number_or_none("verticalAccuracy", 0),
        satellites_used=fields.integer_or_none("satellitesUsed", 0),
        source=fields.text("source"),
        method=fields.choice("method", Method),
        simulated=fields.boolean("simulated"),
        after_gap=fields.boolean_or_none("afterGap"),
    )


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
    return _call("GetTrack", "points", _read_point, True, begin=begin, end=end, trip=trip, include_simulated=include_simulated)


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
        trips = self._perform(_call("GetTrips", "trips", _read_trip, begin=begin, end=end))
        return list(trips)

    def stays(self, *, begin: datetime | None = None, end: datetime | None = None) -> list[Stay]:
        """The stays that touch a time, likewise."""
        stays = self._perform(_call("GetStays", "stays", _read_stay, begin=begin, end=end))
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
        trips = await self._perform(_call("GetTrips", "trips", _read_trip, begin=begin, end=end))
        return list(trips)

    async def stays(self, *, begin: datetime | None = None, end: datetime | None = None) -> list[Stay]:
        """As `History.stays`."""
        stays = await self._perform(_call("GetStays", "stays", _read_stay, begin=begin, end=end))
        return list(stays)

    async def track(
        self, *, begin: datetime | None = None, end: datetime | None = None, trip: int | None = None, include_simulated: bool = False
    ) -> AsyncIterator[TrackPoint]:
        """As `History.track`; use it in `contextlib.aclosing` to leave it before its end."""
        async with aclosing(self._answers(_track(begin, end, trip, include_simulated))) as answers:
            async for points in answers:
                for point in points:
                    yield point
