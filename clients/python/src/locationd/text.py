"""Updates as lines for a person, and as JSON with the interface's names. Pure: no I/O."""

import json
from datetime import datetime

from .enums import SourceState
from .satellites import Satellites
from .types import Heading, Location, MonitorInformation, Receiver, RegionReport, Status, Visit
from .wire import encode_value

Update = Location | Status | Heading | Satellites | RegionReport | Visit


def printable(text: str) -> str:
    """Text of the daemon without anything that a terminal would execute."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def describe(update: Update | Receiver | MonitorInformation) -> str:
    """One line."""
    match update:
        case Location():
            return _describe_location(update)
        case Status():
            return "status: " + _describe_status(update)
        case Heading():
            degrees = update.true_heading if update.true_heading is not None else update.magnetic_heading
            north = "true" if update.true_heading is not None else "magnetic"
            return "heading: unknown" if degrees is None else f"heading: {degrees:.1f}° {north}" + _plus_minus(update.accuracy, "°")
        case Satellites():
            return f"satellites: {len(update)} in view, {sum(satellite.used for satellite in update)} used"
        case RegionReport():
            return printable(f"region {update.identifier}: {update.event or update.state or 'unknown'}")
        case Visit():
            place = f"{update.latitude:.6f}, {update.longitude:.6f}" + _plus_minus(update.horizontal_accuracy, " m")
            return f"visit: {'at' if update.is_present else 'left'} {place}"
        case _:
            return printable(repr(update))


def _describe_location(location: Location) -> str:
    parts = [f"{location.latitude:.6f}, {location.longitude:.6f}" + _plus_minus(location.horizontal_accuracy, " m")]
    if location.timestamp is not None:
        parts.insert(0, _clock_time(location.timestamp))
    if location.altitude is not None:
        parts.append(f"{location.altitude:.1f} m above sea level")
    if location.speed is not None:
        parts.append(f"{location.speed:.1f} m/s")
    if location.source.is_simulated:
        parts.append("(simulated)")
    elif location.source.is_replayed:
        parts.append("(replayed)")
    age = location.age()
    if age >= 1:
        parts.append(f"age {age:.0f} s")
    return "  ".join(parts)


def _clock_time(timestamp: datetime) -> str:
    try:
        return timestamp.astimezone().strftime("%H:%M:%S")
    except (OverflowError, ValueError, OSError):
        # A receiver without a clock may say year 1, which has no local time.
        return timestamp.strftime("%H:%M:%SZ")


def _describe_status(status: Status) -> str:
    state = status.source or "unknown"
    if status.source is SourceState.TRACKING and status.satellites_used is not None:
        state = f"{state}, {status.satellites_used} satellites"
    authorization = status.authorization or "unknown"
    line = state if not status.connected else f"{state} ({authorization}, {status.accuracy or 'unknown'} accuracy)"
    if not status.enabled:
        line += "; switched off"
    return printable(line if status.reason is None else f"{line}: {status.reason}")


def _plus_minus(accuracy: float | None, unit: str) -> str:
    return "" if accuracy is None else f"  ±{accuracy:.1f}{unit}"


def encode_update(update: Update) -> dict[str, object]:
    """An update under the name that it has in replies, as `locctl watch --json` writes it."""
    kind = "region" if isinstance(update, RegionReport) else type(update).__name__.lower()
    return {kind: encode_result(update)}


def encode_result(value: Update) -> object:
    """A value with the interface's names. The ages are those of now."""
    if isinstance(value, Satellites):
        return encode_value("satellites", value.satellites)
    result = encode_value("", value)
    assert isinstance(result, dict)
    if isinstance(value, (Location, Heading)):
        result["age"] = round(value.age(), 6)
    if isinstance(value, Heading):
        # The client has computed it; the interface has none.
        del result["monotonicTime"]
    if isinstance(value, RegionReport) and value.location is not None:
        result["location"] = encode_result(value.location)
    if isinstance(value, Status) and value.connected:
        del result["connected"]
    return result


def to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
