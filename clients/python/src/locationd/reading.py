"""The values of the interface from the fields of replies, with the documented ranges. Pure: no I/O."""

from .enums import (
    Accuracy,
    AccuracyBasis,
    Antenna,
    Augmentation,
    Authorization,
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
)
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
from .wire import Fields, Reply


MAXIMUM_SATELLITES = 1024
"""Several times as many as there are."""

MAXIMUM_SOURCES = 256
"""More than anybody configures."""


def read_location(fields: Fields) -> Location:
    # The age at sending is not kept, but a reply without it is not one of the interface.
    fields.number("age")
    return Location(
        latitude=fields.number("latitude", -90, 90),
        longitude=fields.number("longitude", -180, 180),
        horizontal_accuracy=fields.number_or_none("horizontalAccuracy", 0),
        accuracy_basis=fields.choice_or_none("accuracyBasis", AccuracyBasis),
        error_ellipse=fields.object_or_none("errorEllipse", _read_ellipse),
        altitude=fields.number_or_none("altitude"),
        ellipsoidal_altitude=fields.number_or_none("ellipsoidalAltitude"),
        geoid_separation=fields.number_or_none("geoidSeparation"),
        vertical_accuracy=fields.number_or_none("verticalAccuracy", 0),
        speed=fields.number_or_none("speed", 0),
        speed_accuracy=fields.number_or_none("speedAccuracy", 0),
        course=fields.number_or_none("course", 0, below=360),
        course_accuracy=fields.number_or_none("courseAccuracy", 0),
        climb=fields.number_or_none("climb"),
        climb_accuracy=fields.number_or_none("climbAccuracy", 0),
        magnetic_variation=fields.number_or_none("magneticVariation"),
        mode=fields.choice("mode", Mode),
        augmentation=fields.choice_or_none("augmentation", Augmentation),
        satellites_used=fields.integer_or_none("satellitesUsed", 0),
        hdop=fields.number_or_none("hdop", 0),
        vdop=fields.number_or_none("vdop", 0),
        pdop=fields.number_or_none("pdop", 0),
        antenna=fields.choice_or_none("antenna", Antenna),
        jamming=fields.integer_or_none("jamming", 0, 255),
        timestamp=fields.time_or_none("timestamp"),
        timestamp_implausible=fields.boolean_or_none("timestampImplausible"),
        implausible=fields.choice_or_none("implausible", Implausibility),
        basis=fields.choice_or_none("basis", EstimateBasis),
        monotonic_time=fields.number("monotonicTime"),
        sequence=fields.integer("sequence"),
        source=fields.object("source", _read_source),
    )


def _read_ellipse(fields: Fields) -> ErrorEllipse:
    return ErrorEllipse(
        semi_major_axis=fields.number("semiMajorAxis", 0),
        semi_minor_axis=fields.number("semiMinorAxis", 0),
        orientation=fields.number("orientation", 0, below=180),
        is_standard_deviation=fields.boolean("isStandardDeviation"),
    )


def _read_source(fields: Fields) -> Source:
    return Source(
        name=fields.text("name"),
        device=fields.text_or_none("device"),
        method=fields.choice_or_none("method", Method),
        is_simulated=fields.boolean("isSimulated"),
        is_replayed=fields.boolean("isReplayed"),
    )


def read_heading(fields: Fields, now: float) -> Heading:
    """`now`: the time of `CLOCK_BOOTTIME` at receipt."""
    return Heading(
        true_heading=fields.number_or_none("trueHeading", 0, below=360),
        magnetic_heading=fields.number_or_none("magneticHeading", 0, below=360),
        accuracy=fields.number_or_none("accuracy", 0),
        pitch=fields.number_or_none("pitch", -90, 90),
        roll=fields.number_or_none("roll", -180, 180),
        timestamp=fields.time_or_none("timestamp"),
        monotonic_time=now - fields.number("age"),
    )


def _read_satellite(fields: Fields) -> Satellite:
    return Satellite(
        gnss=fields.text("gnss"),
        id=fields.integer("id", 1),
        azimuth=fields.number_or_none("azimuth", 0, below=360),
        elevation=fields.number_or_none("elevation", -90, 90),
        signal=fields.number_or_none("signal"),
        used=fields.boolean("used"),
    )


def read_status(fields: Fields) -> Status:
    return Status(
        authorization=fields.choice("authorization", Authorization),
        accuracy=fields.choice("accuracy", Accuracy),
        enabled=fields.boolean("enabled"),
        source=fields.choice("source", SourceState),
        reason=fields.text_or_none("reason"),
        fix_age=fields.number_or_none("fixAge"),
        satellites_visible=fields.integer_or_none("satellitesVisible", 0),
        satellites_used=fields.integer_or_none("satellitesUsed", 0),
        authorization_pending=fields.boolean("authorizationPending"),
        full_accuracy_pending=fields.boolean_or_none("fullAccuracyPending"),
        authorization_remaining=fields.number_or_none("authorizationRemaining"),
        stationary=fields.boolean_or_none("stationary"),
        paused=fields.boolean_or_none("paused"),
        heading_available=fields.boolean_or_none("headingAvailable"),
        source_name=fields.text_or_none("sourceName"),
        sources=fields.objects_or_none("sources", _read_ranked_source, MAXIMUM_SOURCES),
        compasses=fields.objects_or_none("compasses", _read_ranked_source, MAXIMUM_SOURCES),
    )


def _read_ranked_source(fields: Fields) -> RankedSource:
    return RankedSource(
        name=fields.text("name"),
        state=fields.choice("state", SourceState),
        reason=fields.text_or_none("reason"),
        fix_age=fields.number_or_none("fixAge"),
    )


def read_receiver(fields: Fields) -> Receiver:
    return Receiver(source=fields.text("source"), device=fields.text_or_none("device"))


def _read_coordinate(fields: Fields) -> Coordinate:
    return Coordinate(fields.number("latitude", -90, 90), fields.number("longitude", -180, 180))


def _read_region(fields: Fields) -> Region:
    return Region(
        fields.text("identifier"),
        center=fields.object_or_none("center", _read_coordinate),
        radius=fields.number_or_none("radius", 0),
        polygon=fields.objects_or_none("polygon", _read_coordinate),
        dwell=fields.number_or_none("dwell", 0),
    )


def _read_report(fields: Fields) -> RegionReport:
    return RegionReport(
        identifier=fields.text("identifier"),
        state=fields.choice("state", RegionState),
        event=fields.choice_or_none("event", RegionEvent),
        location=fields.object_or_none("location", read_location),
    )


def _read_change(fields: Fields) -> SignificantChange:
    return SignificantChange(distance=fields.number_or_none("distance", 0), interval=fields.number_or_none("interval", 0))


def _read_visit(fields: Fields) -> Visit:
    return Visit(
        latitude=fields.number("latitude", -90, 90),
        longitude=fields.number("longitude", -180, 180),
        horizontal_accuracy=fields.number("horizontalAccuracy", 0),
        arrival=fields.time_or_none("arrival"),
        departure=fields.time_or_none("departure"),
        is_present=fields.boolean("isPresent"),
    )


def read_monitor(fields: Fields) -> MonitorInformation:
    return MonitorInformation(
        name=fields.text("name"),
        active=fields.boolean("active"),
        regions=fields.objects("regions", _read_region),
        significant_change=fields.object_or_none("significantChange", _read_change),
        visits=fields.boolean("visits"),
        reports=fields.objects("reports", _read_report),
    )


def read_watch_updates(fields: Fields, now: float) -> list[Location | Status | Heading | Satellites]:
    """What a reply of Watch has, the status first; nothing if it has only what a later daemon has added."""
    satellites = fields.objects_or_none("satellites", _read_satellite, MAXIMUM_SATELLITES)
    updates = (
        fields.object_or_none("status", read_status),
        fields.object_or_none("location", read_location),
        fields.object_or_none("heading", lambda heading: read_heading(heading, now)),
        None if satellites is None else Satellites(satellites),
    )
    return [update for update in updates if update is not None]


def read_monitor_updates(fields: Fields, now: float) -> list[RegionReport | Location | Visit | Status]:
    """What a reply of Monitor has, the status first."""
    updates = (
        fields.object_or_none("status", read_status),
        fields.object_or_none("region", _read_report),
        fields.object_or_none("location", read_location),
        fields.object_or_none("visit", _read_visit),
    )
    return [update for update in updates if update is not None]


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
