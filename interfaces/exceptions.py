"""What the libraries' values have that the descriptions do not say, or say otherwise: the one table of it."""

import typing


class Enumeration(typing.NamedTuple):
    """An enumeration's names. The description has none: it says the values where a field has them."""

    python: str
    doc: str
    c: str = ""
    prefix: str = ""
    texts: dict[str, str] = {}


#: Methods that a library leaves to bridges, agents and administration. Types and enumerations that only they use are
#: left out too. A field of a type or method that a library leaves out is written `Type.field`.
LEFT = {
    "python": {"WatchRequests", "Decide", "GetState", "Pause", "Resume"},
    "c": {"WatchRequests", "WatchUsage", "Decide", "ListReceivers", "ListMonitors"},
}
#: Parameters that the libraries send themselves, or that bridges alone send.
LEFT_PARAMETERS = {"library", "onBehalfOf", "user"}

STATES = Enumeration(
    "SourceState",
    "What the source of the locations does.",
    prefix="SOURCE",
    texts={
        "stopped": "There is no demand, the switch is off, or the client does not make it run.",
        "unavailable": "It cannot be reached; the daemon (in the status of an outage: the client) keeps trying.",
    },
)
METHODS = Enumeration("Method", "How a location came to be.")
#: The enumeration of a field. One that is not here has the field's name.
ENUMERATIONS = {
    "Location.accuracyBasis": Enumeration(
        "AccuracyBasis", "Where a horizontal accuracy comes from.", texts={"stated": "The receiver states it."}
    ),
    "Location.mode": Enumeration("Mode", "The dimensions of a fix."),
    "Location.augmentation": Enumeration(
        "Augmentation",
        "What improved a fix.",
        texts={
            "dgps": "Differential corrections.",
            "rtkFixed": "Real-time kinematic, ambiguities resolved.",
            "rtkFloat": "Real-time kinematic, ambiguities not resolved.",
            "gnssDeadReckoning": "Satellites and dead reckoning.",
        },
    ),
    "Location.antenna": Enumeration(
        "Antenna", "The state of a receiver's antenna.", texts={"short": "It has a short circuit."}
    ),
    "Location.implausible": Enumeration("Implausibility", "The rule by which a fix is not believed.", "implausible"),
    "Location.basis": Enumeration(
        "EstimateBasis",
        "How an estimate was made.",
        "basis",
        texts={
            "filtered": "From the fix of its time and those before it.",
            "predicted": "From earlier fixes alone, because there is none for its time.",
        },
    ),
    "Source.method": METHODS,
    "Point.method": METHODS,
    "RankedSource.state": STATES,
    "Status.source": STATES,
    "Status.authorization": Enumeration("Authorization", "Whether a client may know the position."),
    "Status.accuracy": Enumeration("Accuracy", "How precisely a client may know the position."),
    "Watch.activityType": Enumeration("ActivityType", "What the position is used for."),
    "RequestAuthorization.level": Enumeration("AuthorizationLevel", "What `request_authorization` asks for.", "level"),
    "RegionReport.state": Enumeration(
        "RegionState", "On which side of a region's border the machine is.", prefix="REGION"
    ),
    "RegionReport.event": Enumeration("RegionEvent", "The event that caused a report."),
}

#: Strings that are times.
TIMES = {"timestamp", "arrival", "departure", "begin", "end", "time", "since", "last", "countedSince"}

#: What a value of this name is at least, at most, or below in replies, where the field's line does not say it.
NOT_NEGATIVE = (0, None, None)
CIRCLE = (0, None, 360)
RANGES = {
    "latitude": (-90, 90, None),
    "longitude": (-180, 180, None),
    "course": CIRCLE,
    "id": (1, None, None),
    **dict.fromkeys(["speed", "maximumSpeed", "hdop", "vdop", "pdop", "semiMajorAxis", "semiMinorAxis"], NOT_NEGATIVE),
    **dict.fromkeys(["distance", "interval", "radius", "dwell", "duration", "distanceSoFar"], NOT_NEGATIVE),
    **dict.fromkeys(["satellitesUsed", "satellitesVisible", "accuracy", "durationSoFar"], NOT_NEGATIVE),
}

#: Elements of a list that is read: several times as many as there are satellites, and more sources than anybody has.
LIMITS = {"Satellite": 1024, "RankedSource": 256}

#: Texts in place of those of a description that leaves something to its introduction, or is about the daemon.
TEXTS = {
    "Coordinate.latitude": "Degrees north, -90 to 90.",
    "Coordinate.longitude": "Degrees east, -180 to 180.",
    "Location": "One fix, or an estimate where one was asked for.",
    "Location.age": "Seconds since the daemon received the fix, when the reply was sent. Now: locationd_age().",
    "Watch.desiredAccuracy": "Metres, more than 0; which of several sources is followed. Filters nothing.",
    "Watch.duration": "Seconds after which the watch ends, more than 0 and at most 31536000; anew after an outage.",
    "Watch.maximumUpdates": "Number of locations after which the watch ends, 1 or more; it counts over outages.",
    "Monitor.regions": "The regions to monitor. Not NULL with a count of 0: explicitly none.",
    "RequestAuthorization.level": "What is requested. Default: when in use.",
    "ChangeRegions.name": "The monitor's name; required.",
    "Location.timestamp": "The receiver's time of the fix; absent if it has none. It may run backwards; see `age`.",
    "RankedSource.state": "Its own state.",
    "Trip.distance": "Metres along the track.",
    "Trip.maximumSpeed": "Metres per second; of all its locations, also those that are left out of the track.",
    "Trip.distanceSoFar": "Metres along the track to the newest point of a trip that lasts.",
    "Trip.durationSoFar": "Seconds to the newest point of a trip that lasts.",
    "Stay.latitude": "Degrees north, of the middle of its locations.",
    "Stay.longitude": "Degrees east.",
    "Stay.accuracy": "Metres; the radius of the circle that holds its locations with their uncertainty.",
    "Point.altitude": "Metres above mean sea level.",
    "Point.speed": "Metres per second over ground.",
    "Point.course": "Degrees from true north, of the movement over ground.",
    "Point.horizontalAccuracy": "Metres; the radius of uncertainty.",
    "Point.verticalAccuracy": "Metres; the uncertainty of the altitude.",
    "Point.method": "How it came to be.",
}

#: In Python: types of another name, types whose fields may be given by their place, and fields that the library makes.
PYTHON_NAMES = {"Point": "TrackPoint"}
POSITIONAL = {"Coordinate", "Region"}
OWN_FIELDS = {
    "Status": (
        "connected: bool = True",
        "False in the status of an outage, which the client makes while the daemon cannot be reached. What it then says"
        " of permission is as it was last heard, `None` before that.",
    ),
    "Heading": (
        "monotonic_time: float",
        "When it was measured, seconds of `CLOCK_BOOTTIME`, by its age when the reply was read: where the client reads"
        " late it was earlier.",
    ),
}

#: In C: the structs of methods' parameters with the prefix of their bits, and the options that are not sent.
OPTIONS = {
    "GetLocation": ("get_options", "GET"),
    "Watch": ("watch_options", "WATCH"),
    "Monitor": ("monitor_options", "MONITOR"),
    "ChangeRegions": ("region_changes", "REGION_CHANGES"),
    "RequestAuthorization": ("authorization_options", "AUTHORIZATION"),
}
LOCAL_OPTIONS = {"RequestAuthorization": ["timeout"]}

#: In Swift: interfaces whose names of methods and errors are generated, with their types.
SWIFT = {
    "org.locationd.location": "LocationInterface",
    "org.locationd.places": "PlacesInterface",
    "org.locationd.admin": "AdminInterface",
    "org.locationd.history": "HistoryInterface",
    "org.locationd.fleet": "FleetInterface",
    "org.locationd.nearby": "NearbyInterface",
    "org.locationd.provider": "ProviderInterface",
    "org.locationd.web": "WebInterface",
}
