"""Writes the fuzzer's seeds: every reply and error of the interface, with all its fields and with the required ones alone."""

import json
import pathlib
import sys

from interface import Interface, enumeration

INTERFACE = Interface()
TEXTS = {"timestamp": "2026-11-28T06:34:47.721Z", "arrival": "2026-11-28T06:34:47Z", "departure": "2026-11-28T07:00:00+01:00"}


def value(name, kind, is_full, choice):
    if kind.startswith("?"):
        kind = kind[1:]
    if kind.startswith("[]"):
        return [value(name, kind[2:], is_full, index) for index in range(2)]
    if kind.startswith("[string]"):
        return {"a key": value(name, kind[8:], is_full, choice)}
    if names := enumeration(kind):
        return names[choice % len(names)]
    if kind in INTERFACE.types:
        return fields(INTERFACE.types[kind], is_full, choice)
    return {"float": 1.5, "int": 3, "bool": True, "string": TEXTS.get(name, "ä text")}[kind]


def fields(of, is_full, choice):
    return {name: value(name, kind, is_full, choice) for name, kind in of if is_full or not kind.startswith("?")}


def seeds():
    replies = [reply for _, reply in INTERFACE.methods.values()]
    for reply in replies:
        for choice in range(8):
            yield {"parameters": fields(reply, True, choice), "continues": True}
        for name, kind in reply:
            yield {"parameters": {name: value(name, kind, False, 0)}}
    for name, of in INTERFACE.errors.items():
        yield {"error": f"org.locationd.location.{name}", "parameters": fields(of, True, 0)}
    for name in ("InvalidParameter", "MethodNotFound", "PermissionDenied", "ExpectedMore"):
        yield {"error": f"org.varlink.service.{name}", "parameters": {"parameter": "library", "method": "Watch"}}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, message in enumerate(seeds()):
        body = json.dumps(message, ensure_ascii=False).encode() + b"\0"
        for kind in (0, 1, 2, 130):
            (folder / f"{number:03}-{kind}").write_bytes(bytes([kind]) + body * 2)
