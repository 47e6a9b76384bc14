"""Checks messages by fleet.json. Standard input has one a line: the topic, a space, and the payload.

Prints what is wrong, by line, and ends with 1 if anything is."""
import json
import pathlib
import re
import sys

import jsonschema

SCHEMA = json.loads((pathlib.Path(__file__).parent / "fleet.json").read_text())
KINDS = {
    r"owntracks/[^/]+/[^/]+": "ownTracks",
    r"owntracks/[^/]+/[^/]+/event": "event",
    r"owntracks/[^/]+/[^/]+/cmd": "command",
    r"owntracks/[^/]+/[^/]+/status": "status",
    r"[^/]+/device_tracker/[^/]+/config": "discovery",
    r"locationd/[^/]+/[^/]+/attributes": "attributes",
}


def mistakes(topic, payload):
    kinds = [kind for pattern, kind in KINDS.items() if re.fullmatch(pattern, topic)]
    if not kinds:
        return [f"{topic} is no topic of these forms"]
    try:
        message = json.loads(payload)
    except ValueError as error:
        return [f"{topic}: {error}"]
    schema = {**SCHEMA, "$ref": f"#/$defs/{kinds[0]}"}
    errors = jsonschema.Draft202012Validator(schema).iter_errors(message)
    return [f"{topic}: {'.'.join(map(str, error.path))}: {error.message}" for error in errors]


jsonschema.Draft202012Validator.check_schema(SCHEMA)
found = [mistake for line in sys.stdin for mistake in mistakes(*line.rstrip("\n").split(" ", 1))]
print("\n".join(found))
sys.exit(1 if found else 0)
