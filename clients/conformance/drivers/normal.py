"""What both Python drivers share: the judge's calls as arguments of `locationd`, and its objects as the judge's events."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import sys
from typing import Any

import locationd


def snake_case(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a call as keyword arguments."""
    result = {snake_case(name): value for name, value in options.items()}
    for name in ("regions", "add"):
        if name in result:
            result[name] = [region(item) for item in result[name]]
    if "significant_change" in result:
        result["significant_change"] = locationd.SignificantChange(**result["significant_change"])
    return result


def region(item: dict[str, Any]) -> locationd.Region:
    shape = {}
    if "center" in item:
        shape["center"] = locationd.Coordinate(**item["center"])
    if "polygon" in item:
        shape["polygon"] = [locationd.Coordinate(**corner) for corner in item["polygon"]]
    return locationd.Region(item["identifier"], radius=item.get("radius"), dwell=item.get("dwell"), **shape)


def plain(value: Any) -> Any:
    """An object of the library as JSON, by the interface's names, without what is absent."""
    if isinstance(value, locationd.Location | locationd.Heading):
        return members(value) | {"age": value.age()}
    if dataclasses.is_dataclass(value):
        return members(value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


def members(value: Any) -> dict[str, Any]:
    pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {camel_case(name): plain(item) for name, item in pairs if item is not None}


def event(update: Any, dropped: int = 0) -> dict[str, Any]:
    """The event of an update, or of a call's result."""
    match update:
        case locationd.Status():
            result = members(update)
            if not result.pop("connected"):
                result["outage"] = True
            return {"event": "status", **result}
        case locationd.Location():
            return {"event": "location", **plain(update), **({"dropped": dropped} if dropped else {})}
        case locationd.Heading():
            return {"event": "heading", **plain(update)}
        case locationd.Satellites():
            return {"event": "satellites", "satellites": plain(update.satellites)}
        case locationd.RegionReport():
            return {"event": "region", "report": plain(update)}
        case locationd.Visit():
            return {"event": "visit", **plain(update)}
        case list():
            return {"event": "monitors", "monitors": plain(update)}
    raise TypeError(f"no event: {update!r}")


def error_event(error: locationd.LocationdError) -> dict[str, Any]:
    name = type(error).__name__
    if name == "LocationdError" and error.name:
        name = error.name.rpartition(".")[2]
    result = {"event": "error", "name": name, "message": str(error)}
    for attribute in ("best", "authorization"):
        if (value := getattr(error, attribute, None)) is not None:
            result[attribute] = plain(value)
    return result


class Reporter:
    """Writes events, and knows when the judge wants no more."""

    def __init__(self, call: dict[str, Any]) -> None:
        self._limits: dict[str, int] = call.get("stop_after", {})
        self._pause: int | None = call.get("pause_after", {}).get("events")
        self._counts: dict[str, int] = {}

    def report(self, event: dict[str, Any]) -> bool:
        """Writes an event; true once the judge wants no more."""
        print(json.dumps(event, allow_nan=False), flush=True)
        for kind in ("events", event["event"]):
            self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts["events"] == self._pause:
            sys.stdin.readline()
        return any(self._counts.get(kind, 0) >= limit for kind, limit in self._limits.items())
