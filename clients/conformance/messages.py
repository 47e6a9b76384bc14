"""The bytes that a scripted daemon sends, made from the short form of `scenarios.json`.

A scenario writes only what it is about: `{"location": {"sequence": 5}}` is completed to a whole location, `{"status": {}}`
to a status. `"exact": true` in an object leaves it as it is. `null` removes a member. The string `RAW:…` becomes the
characters after it, without quotes; `BOOT:-5` becomes the number of CLOCK_BOOTTIME five seconds ago.
"""

from __future__ import annotations

import json
import re
import threading
import time
from typing import Any

INTERFACE = "org.locationd.location"

STATUS = {
    "authorization": "authorizedAlways", "accuracy": "full", "enabled": True, "source": "tracking",
    "authorizationPending": False,
}
LOCATION = {
    "latitude": 52.5163, "longitude": 13.3777, "horizontalAccuracy": 4.5, "mode": "threeDimensional", "age": 0.05,
    "source": {"name": "gpsd", "device": "/dev/ttyACM0", "method": "gnss", "isSimulated": False, "isReplayed": False},
}
HEADING = {"trueHeading": 90.5, "age": 0.02}
VISIT = {"latitude": 52.5163, "longitude": 13.3777, "horizontalAccuracy": 30.0, "isPresent": True}
DEFAULTS = {"status": STATUS, "location": LOCATION, "best": LOCATION, "heading": HEADING, "visit": VISIT}


class Messages:
    """Makes messages; remembers when each fix was received, so that one that is sent again is the same fix."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[int, float] = {}

    def complete(self, value: Any, name: str = "") -> Any:
        """Adds the members that a scenario leaves out."""
        if isinstance(value, list):
            return [self.complete(item) for item in value]
        if isinstance(value, str) and value.startswith("BOOT:"):
            return time.clock_gettime(time.CLOCK_BOOTTIME) + float(value[5:])
        if not isinstance(value, dict):
            return value
        members = {key: self.complete(item, key) for key, item in value.items()}
        if name not in DEFAULTS or members.pop("exact", False):
            return members
        members = DEFAULTS[name] | members
        if name in ("location", "best"):
            members.setdefault("sequence", 1)
            members.setdefault("monotonicTime", self._time(members["sequence"]))
        return {key: item for key, item in members.items() if item is not None}

    def _time(self, sequence: Any) -> float:
        with self._lock:
            return self._times.setdefault(sequence, time.clock_gettime(time.CLOCK_BOOTTIME))

    def reply(self, parameters: dict[str, Any], continues: bool) -> bytes:
        message: dict[str, Any] = {"parameters": self.complete(parameters)}
        if continues:
            message["continues"] = True
        return encode(message)

    def error(self, name: str, parameters: dict[str, Any]) -> bytes:
        """An error of the interface, or of another one if the name has a dot."""
        full = name if "." in name else f"{INTERFACE}.{name}"
        return encode({"error": full, "parameters": self.complete(parameters)})

    def message(self, step: dict[str, Any]) -> bytes:
        """The bytes of a step that is one message, with its NUL; see README.md for the steps."""
        if "reply" in step:
            return self.reply(step["reply"], continues=True)
        if "last" in step:
            return self.reply(step["last"], continues=False)
        if "error" in step:
            return self.error(step["error"], step.get("parameters", {}))
        if "text" in step:
            return step["text"].encode() + b"\0"
        if "hex" in step:
            return bytes.fromhex(step["hex"])
        if "oversize" in step:
            return self.reply({"location": {"sequence": step.get("sequence", 1), "later": "x" * step["oversize"]}}, True)
        if "deep" in step:
            nested = "RAW:" + "[" * step["deep"] + "]" * step["deep"]
            return self.reply({"location": {"sequence": step.get("sequence", 1), "later": nested}}, True)
        if "fill" in step:
            # An "@" becomes the element, so many times, or as often as it takes to make a message of 1 MiB.
            before, _, after = self.reply(step["fill"], True).partition(b"@")
            element = step["with"].encode()
            number = step.get("number", ((1 << 20) - len(before) - len(after) + 2) // (len(element) + 1))
            return before + b",".join([element] * number) + after
        if "invalidUTF8" in step:
            text = self.reply({"status": {"reason": step["invalidUTF8"] + "@"}}, True)
            return text.replace(b"@", b"\xc3\x28\xff")
        raise ValueError(f"no message in the step {step}")


def encode(message: dict[str, Any]) -> bytes:
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    return re.sub(r'"RAW:([^"]*)"', r"\1", text).encode() + b"\0"
