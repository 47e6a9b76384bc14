"""The interfaces' descriptions as the tests compare them."""

import importlib
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_FOLDER = _ROOT / "LocationKit/Sources/LocationInterface"
FILE = _FOLDER / "org.locationd.location.varlink"
HISTORY_FILE = _FOLDER / "History/org.locationd.history.varlink"


class Interface:
    """The members: `types`, `methods` (their parameters), `replies` and `errors`, each with fields and their types.

    A type is a text such as `float`, `[]Region` or `(full, reduced)`, with `?` in front if the field is optional.
    """

    def __init__(self, text: str) -> None:
        sys.path.insert(0, str(_ROOT / "interfaces"))
        try:
            description = importlib.import_module("varlink").Description(text)
        finally:
            del sys.path[0]

        def fields(kind: str, part: str) -> dict[str, dict[str, str]]:
            members = description.of_kind(kind)
            return {member.name: {field.name: str(field.type) for field in getattr(member, part)} for member in members}

        self.types = fields("type", "parameters")
        self.methods = fields("method", "parameters")
        self.replies = fields("method", "reply")
        self.errors = fields("error", "parameters")
