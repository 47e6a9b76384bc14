"""A client that follows the rules of README.md, to try the judge itself; `FAULT` plants a wrong behaviour in it.

It is no model for a program: one call, a blocking socket, no more than the scenarios need.
"""

from __future__ import annotations

import json
import math
import os
import select
import socket
import sys
import time
from typing import Any

FAULT = os.environ.get("FAULT", "")
INTERFACE = "org.locationd.location."
LIMIT = 1 << 20
VALUES = 1 << 15
METHODS = {
    "watch": "Watch", "get": "GetLocation", "status": "GetStatus", "request_authorization": "RequestAuthorization",
    "regions": "Monitor", "change_regions": "ChangeRegions", "remove_monitor": "RemoveMonitor", "monitors": "ListMonitors",
}
KNOWN = {
    "mode": {"twoDimensional", "threeDimensional"}, "augmentation": {"rtkFixed"}, "accuracyBasis": {"stated", "fromDOP"},
    "antenna": {"ok", "open", "short"}, "basis": {"filtered", "predicted"}, "method": {"gnss", "simulated"},
    "accuracy": {"full", "reduced"}, "state": {"unknown", "inside", "outside"}, "event": {"entered", "exited", "dwelled"},
    "authorization": {"notDetermined", "restricted", "denied", "authorizedWhenInUse", "authorizedAlways"},
    "status.source": {"stopped", "starting", "searching", "tracking", "lost", "unavailable"},
}


KNOWN_FIELDS = {"latitude", "longitude", "horizontalAccuracy", "mode", "age", "source", "sequence", "monotonicTime"}


class Unreadable(Exception):
    """A message that is none."""


class Lost(Exception):
    """The connection is of no use any more."""


class Failure(Exception):
    """An error reply."""


def boot_time() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def reject(name: str) -> float:
    if FAULT == "nan":
        return 1.0
    raise Unreadable(name)


def number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        if FAULT == "infinity":
            return 1.0
        raise Unreadable(text)
    return value


def known(value: Any, name: str = "", parent: str = "") -> Any:
    """Without null, and without values of enumerations that are not known."""
    if isinstance(value, list):
        return [known(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        names = KNOWN.get("status.source" if (name, key) == ("status", "source") else key)
        if item is None and FAULT != "null":
            continue
        if names and isinstance(item, str) and item not in names and FAULT != "unknown-values":
            continue
        result[key] = known(item, key)
    return result


def checked_location(location: dict[str, Any]) -> dict[str, Any]:
    for name in ("latitude", "longitude", "monotonicTime", "age", "sequence"):
        if name not in location and FAULT == "missing":
            location[name] = 0
        if not isinstance(location.get(name), int | float) and FAULT != "types":
            raise Unreadable(name)
    if FAULT not in ("range", "types") and abs(location["latitude"]) > 90:
        raise Unreadable("latitude")
    if FAULT != "age":
        location["age"] = max(0.0, boot_time() - location["monotonicTime"]) + (1e9 if FAULT == "age-later" else 0)
    if FAULT == "float-sequence":
        location["sequence"] = int(float(location["sequence"]))
    if FAULT == "unknown-fields" and set(location) - KNOWN_FIELDS:
        raise Unreadable("unknown")
    if FAULT == "zero":
        location.setdefault("horizontalAccuracy", 0)
    if FAULT == "less":
        location.pop("altitude", None)
        location.pop("horizontalAccuracy", None)
    return location


class Driver:
    """One call."""

    def __init__(self, call: dict[str, Any]) -> None:
        self.name, self.options = call["call"], dict(call.get("options", {}))
        self.stop, self.pause = call.get("stop_after", {}), call.get("pause_after", {})
        self.written: dict[str, int] = {"events": 0}
        self.newest: dict[str, Any] | None = None
        self.dropped = 0
        self.last_status: dict[str, Any] = {}
        self.is_out = False

    def write(self, event: dict[str, Any]) -> None:
        if FAULT == "swallow-status" and event["event"] == "status":
            return
        print(json.dumps(event), flush=True)
        for kind in ("events", event["event"]):
            self.written[kind] = self.written.get(kind, 0) + 1
        if any(self.written.get(kind, 0) >= limit for kind, limit in self.stop.items()):
            sys.exit(0)
        if self.pause.get("events") == self.written["events"]:
            while FAULT == "eager" and sys.stdin not in (ready := select.select([sys.stdin, self.connection], [], [])[0]):
                self.buffer += self.connection.recv(1 << 20) if ready else b""
            sys.stdin.readline()

    def replies(self, timeout: float | None) -> Any:
        """Sends the call; yields each reply's parameters and whether it is the last."""
        connection = self.connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        parameters = dict(self.options) if FAULT != "options" else {"name": self.options.get("name")}
        if self.name in ("watch", "regions") and FAULT != "library":
            parameters["library"] = "reference 1.0"
        message = {"method": INTERFACE + METHODS[self.name], "parameters": parameters}
        if self.name in ("watch", "regions", "request_authorization"):
            message["more"] = True
        try:
            connection.connect(os.environ["LOCATIOND_SOCKET"])
            connection.sendall(json.dumps(message).encode() + b"\0")
            self.buffer = bytearray()
            while True:
                if max(end := self.buffer.find(b"\0"), len(self.buffer) if end < 0 else 0) > LIMIT and FAULT != "large":
                    raise Unreadable("too large")
                if end < 0:
                    data = connection.recv(65536)
                    if not data:
                        raise Lost(f"{os.environ['LOCATIOND_SOCKET']}: the connection has ended")
                    self.buffer += data
                    if FAULT == "one-read" and b"\0" in data:
                        del self.buffer[self.buffer.find(b"\0") + 1:]
                    if FAULT == "whole-reads" and not data.endswith(b"\0"):
                        raise Unreadable("part of a message")
                    continue
                text = bytes(self.buffer[:end])
                del self.buffer[: end + 1]
                connection.settimeout(None if FAULT != "all-outages" else 5)
                reply = self.parse(text)
                if "error" in reply:
                    raise Failure(reply["error"], reply.get("parameters", {}))
                yield reply.get("parameters", {}), not reply.get("continues")
                if not reply.get("continues"):
                    return
        except (TimeoutError, OSError) as error:
            raise Lost(f"{os.environ['LOCATIOND_SOCKET']}: {error}") from error
        finally:
            connection.close()

    @staticmethod
    def parse(text: bytes) -> dict[str, Any]:
        try:
            if text.count(b",") > VALUES and FAULT != "many-values":
                raise Unreadable("too many values")
            value = json.loads(
                text.decode(errors="replace" if FAULT == "utf-8" else "strict"), parse_float=number, parse_constant=reject)
            if not isinstance(value, dict):
                raise Unreadable("no object")
            return value
        except (ValueError, RecursionError, Unreadable) as error:
            if FAULT == "crash":
                raise SystemExit(9) from error
            if FAULT == "skip-garbage":
                return {"continues": True}
            raise Lost(f"{os.environ['LOCATIOND_SOCKET']}: unreadable: {error}") from error

    def run(self) -> None:
        if self.name in ("watch", "regions"):
            return self.follow()
        timeout = 10.0 + (self.options.get("timeout", 30.0) if self.name == "get" else 0.0)
        timeout = {"hang": 300.0, "hasty": 0.5}.get(FAULT, timeout)
        try:
            result, is_last = {}, False
            for result, is_last in self.replies(timeout):
                if FAULT == "impatient":
                    break
            if self.name == "request_authorization" and result["status"].get("reason") == "stopping" and FAULT != "stop-decides":
                raise Lost("stopping")
            self.single(known(result))
        except Unreadable as error:
            return self.error("Unreachable", f"unreadable: {error}", {})
        except Lost as error:
            if FAULT == "stop-decides":
                self.write({"event": "status", "authorization": "denied"})
                return self.write({"event": "end"})
            return self.error("Unreachable", str(error), {})
        except Failure as failure:
            return self.error(failure.args[0], "", failure.args[1])

    def single(self, result: dict[str, Any]) -> None:
        if self.name == "get":
            self.write({"event": "location", **checked_location(result["location"])})
        elif "status" in result:
            if FAULT == "denial-is-error" and result["status"]["authorization"] == "denied":
                return self.error("NotAuthorized", "denied", {})
            self.write({"event": "status", **result["status"]})
        elif "monitors" in result:
            self.write({"event": "monitors", "monitors": result["monitors"] if FAULT != "less" else []})
        self.write({"event": "end"})

    def error(self, name: str, message: str, parameters: dict[str, Any]) -> None:
        sentence = f"{message or name} {json.dumps(parameters, ensure_ascii=False)}"
        event = {"event": "error", "name": name.rpartition(".")[2], "message": sentence}
        event |= {key: value for key, value in parameters.items() if key in ("best", "authorization")}
        if FAULT == "no-sentence":
            event["message"] = ""
        self.write(event)

    def outage(self, reason: str) -> None:
        if not self.is_out or FAULT == "each-attempt":
            self.write({"event": "status", **self.last_status, "source": "unavailable", "reason": reason, "outage": True})
        self.is_out = True

    def follow(self) -> None:
        delay = 0.05
        while True:
            try:
                for reply, is_last in self.replies({"hang": 300.0, "hasty": 0.5}.get(FAULT, 10.0)):
                    reason = (reply.get("status") or {}).get("reason")
                    self.deliver(known(reply))
                    delay = 0.05
                    if is_last and (reason != "stopping" or FAULT == "stop-ends"):
                        return self.write({"event": "end"})
                    if is_last:
                        self.is_out = True
            except Failure as failure:
                name, parameters = failure.args
                if "TooManyClients" not in name and "TooManyRequests" not in name or FAULT == "final":
                    if FAULT != "retry-final":
                        return self.error(name, "", parameters)
                self.outage(f"{name} {parameters}")
            except (Lost, Unreadable) as error:
                if FAULT == "no-reconnect":
                    return self.error("Unreachable", str(error), {})
                self.outage(str(error))
            if "maximumUpdates" in self.options and FAULT != "maximum":
                self.options["maximumUpdates"] -= self.written.get("location", 0)
            time.sleep({"busy": 0.02, "steady": 1.0}.get(FAULT, delay))
            delay = min(delay * 2, 10.0)

    def deliver(self, reply: dict[str, Any]) -> None:
        lists = (reply.get("satellites"), 1024), ((reply.get("status") or {}).get("sources"), 256)
        if any(len(elements or ()) > limit for elements, limit in lists) and FAULT != "long-lists":
            raise Unreadable("a long list")
        self.dropped = reply.get("dropped", 0) + (self.dropped if FAULT != "dropped" else 0)
        if status := reply.get("status"):
            self.is_out, self.last_status = False, status
            changed = {"reason": repr(status.get("reason"))} if FAULT == "escape" else {}
            self.write({"event": "status", **status, **changed})
        if location := reply.get("location"):
            location = checked_location(location)
            if self.is_new(location):
                self.newest = location
                self.write({"event": "location", **location, "dropped": self.dropped})
        if heading := reply.get("heading"):
            self.write({"event": "heading", **heading} if FAULT != "less" else {"event": "heading"})
        if "satellites" in reply and (reply["satellites"] or FAULT != "less"):
            self.write({"event": "satellites", "satellites": reply["satellites"]})
        if region := reply.get("region"):
            self.write({"event": "region", "report": region if FAULT != "less" else {"identifier": region["identifier"]}})
        if visit := reply.get("visit"):
            self.write({"event": "visit", **visit})
        if set(reply) - {"status", "location", "heading", "satellites", "region", "visit", "dropped"} and FAULT == "unknown-objects":
            self.write({"event": "unknown"})

    def is_new(self, location: dict[str, Any]) -> bool:
        if self.newest is None or FAULT == "twice":
            return True
        if location["sequence"] > self.newest["sequence"]:
            return True
        anew = location["sequence"] < self.newest["sequence"] and location["monotonicTime"] > self.newest["monotonicTime"]
        return anew and FAULT != "numbers"


Driver(json.loads(sys.stdin.readline())).run()
