"""The methods of both clients that open a watch or a monitor, with every option."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from .calls import INTERFACE
from .enums import ActivityType
from .reading import read_monitor_updates, read_watch_updates
from .satellites import Satellites
from .session import Session
from .types import Heading, Location, Region, RegionReport, SignificantChange, Status, Visit
from .wire import encode_options

WatchType = TypeVar("WatchType")
MonitorType = TypeVar("MonitorType")

WatchUpdate = Location | Status | Heading | Satellites
"""What a watch delivers."""

MonitorUpdate = RegionReport | Location | Visit | Status
"""What a monitor delivers."""


class BaseClient(ABC, Generic[WatchType, MonitorType]):
    """What `Client` and `AsyncClient` share."""

    _path: str

    @property
    def socket_path(self) -> str:
        """The path of the daemon's socket."""
        return self._path

    @abstractmethod
    def _open_watch(self, session: Session[WatchUpdate]) -> WatchType: ...

    @abstractmethod
    def _open_monitor(self, session: Session[MonitorUpdate]) -> MonitorType: ...

    def watch(
        self,
        *,
        distance_filter: float | None = None,
        required_accuracy: float | None = None,
        desired_accuracy: float | None = None,
        minimum_interval: float | None = None,
        interval: float | None = None,
        maximum_delay: float | None = None,
        activity_type: ActivityType | str | None = None,
        pauses_automatically: bool | None = None,
        maximum_updates: int | None = None,
        duration: float | None = None,
        location: bool | None = None,
        heading: bool | None = None,
        heading_filter: float | None = None,
        satellites: bool | None = None,
        passive: bool | None = None,
        every_source: bool | None = None,
        estimate: bool | None = None,
        reduced_accuracy: bool | None = None,
        purpose: str | None = None,
    ) -> WatchType:
        """Updates, until `maximum_updates` or `duration` is reached or it is closed.

        The first is a status, or the status of an outage. A program that may not know the position gets the status, and
        locations as soon as it is authorized. The connection is made by the first update that is asked for. When it is
        lost there is one status with `connected` False; the watch reconnects by itself and delivers no fix twice.

        A program that reads late gets old updates first: some tens of them wait in the kernel's socket, and count as
        read. Only what does not fit there waits in the daemon, which keeps the newest of each kind and counts in
        `dropped` what it passed over. `age()` tells which location is of now; a new watch begins with the newest.

        `None` is the daemon's default. The daemon refuses values out of range with `InvalidParameter`.

        `distance_filter`: minimum distance in metres between two locations. The first location after a loss of the fix
            is sent at any distance.
        `required_accuracy`: metres, more than 0; holds back locations that are worse, or of unknown accuracy.
        `desired_accuracy`: metres, more than 0; filters nothing. Starts sources of lower rank while the followed one is
            less accurate.
        `minimum_interval`: minimum interval in seconds between two locations.
        `interval`: how often a location is wanted, in seconds, more than 0 and at most 31536000. The receivers rest in
            between while no program needs them more often. For watches of locations alone that are not passive.
        `maximum_delay`: seconds for which a location may be held back, more than 0 and at most 3600, so that several
            are sent together. What is held is lost with the connection. For watches of locations alone.
        `activity_type`: what the position is used for; driving, fitness and other navigation have a default
            `minimum_interval` of 1 second, fitness a `distance_filter` of 3 metres and other navigation one of 10.
        `pauses_automatically`: whether the watch pauses while the machine is stationary; a status has `paused` then.
            Default: False. For watches of locations alone that are not passive.
        `maximum_updates`: number of locations after which the watch ends, 1 or more; it counts over outages.
        `duration`: seconds after which the watch ends, more than 0 and at most 31536000; it begins anew after an
            outage. The last update is a status with the reason "duration".
        `location`: whether to send locations. Default: True.
        `heading`: whether to send headings. Default: False.
        `heading_filter`: degrees, 0 to 180; only with `heading`. A heading is sent when it has turned by as much.
        `satellites`: whether to send the satellites in view. Default: False.
        `passive`: whether to receive what other programs request, without starting the receiver. Default: False.
        `every_source`: whether to send every receiver's fixes instead of those of the followed one. Default: False.
        `estimate`: whether to send estimates in place of fixes: combined over time, and predicted for at most ten
            seconds after the last fix. Not with `every_source`. Default: False.
        `reduced_accuracy`: whether `accuracy` is `reduced` for this watch, though the program may know more. Default:
            False.
        `purpose`: the purpose, at most 256 bytes; shown to administrators.

        Raises `ValueError` for a number that is NaN, infinite or beyond 64 bits, and `TypeError` for `maximum_updates`
        that is no `int`. The iteration raises `InvalidParameter` or another final error of the daemon, and ends.
        """
        # What is no integer would be sent again after each outage, and count nothing.
        if maximum_updates is not None and (isinstance(maximum_updates, bool) or not isinstance(maximum_updates, int)):
            raise TypeError(f"maximum_updates has to be an int, not a {type(maximum_updates).__name__}")
        options = dict(
            distance_filter=distance_filter,
            required_accuracy=required_accuracy,
            desired_accuracy=desired_accuracy,
            minimum_interval=minimum_interval,
            interval=interval,
            maximum_delay=maximum_delay,
            activity_type=activity_type,
            pauses_automatically=pauses_automatically,
            maximum_updates=maximum_updates,
            duration=duration,
            location=location,
            heading=heading,
            heading_filter=heading_filter,
            satellites=satellites,
            passive=passive,
            every_source=every_source,
            estimate=estimate,
            reduced_accuracy=reduced_accuracy,
            purpose=purpose,
        )
        return self._open_watch(Session(INTERFACE + "Watch", encode_options(options), read_watch_updates))

    def regions(
        self,
        *,
        name: str | None = None,
        regions: Sequence[Region] | None = None,
        significant_change: SignificantChange | None = None,
        visits: bool | None = None,
        passive: bool | None = None,
        purpose: str | None = None,
    ) -> MonitorType:
        """Reports of regions entered and left, significant changes (as `Location`) and visits, until it is closed.

        The first update is a status. Each region's state is reported as soon as it is decided, and with each event.
        After an outage the states are reported again; those of a named monitor follow what is persisted.

        `name`: 1 to 128 bytes without control characters; persists the monitor under this name for the user. With the
            name alone the persisted monitor is loaded; with any of the next three it is replaced. After an outage the
            monitor is loaded, so that what `change_regions` has done meanwhile stays.
        `regions`: the regions to monitor.
        `significant_change`: the significant change to monitor.
        `visits`: whether to monitor visits. Default: False.
        `passive`: whether to use the fixes that other programs request, without starting the receiver. Default: False.
        `purpose`: the purpose, at most 256 bytes; shown to administrators.

        Raises `ValueError` for a number that is NaN, infinite or beyond 64 bits. The iteration raises `NoSuchMonitor`, `MonitorInUse`,
        `TooManyRegions`, `InvalidParameter` or another final error of the daemon, and ends.
        """
        options: Mapping[str, object] = dict(
            name=name,
            regions=regions,
            significant_change=significant_change,
            visits=visits,
            passive=passive,
            purpose=purpose,
        )
        return self._open_monitor(Session(INTERFACE + "Monitor", encode_options(options), read_monitor_updates))
