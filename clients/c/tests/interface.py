"""The interface's description as these tests compare it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "interfaces"))

from model import snake  # noqa: E402, F401
from varlink import read_all  # noqa: E402


def _fields(fields):
    return [(field.name, str(field.type)) for field in fields]


class Interface:
    """`types` and `errors` by name as lists of (field, type); `methods` as pairs of them: parameters and reply."""

    def __init__(self):
        description = read_all()["org.locationd.location"]
        self.types, self.errors = (
            {member.name: _fields(member.parameters) for member in description.of_kind(kind)} for kind in ("type", "error")
        )
        self.methods = {member.name: (_fields(member.parameters), _fields(member.reply)) for member in description.of_kind("method")}


def enumeration(kind):
    """The names of an enumeration's type, or None for another type."""
    kind = kind.removeprefix("?")
    return kind[1:-1].split(", ") if kind.startswith("(") else None
