"""Reads the `.varlink` file as far as these tests need it."""

import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parents[3] / "LocationKit/Sources/LocationInterface/org.locationd.location.varlink"


def _fields(text):
    """The fields of `name: type, …` as pairs, with what stands in parentheses in one piece."""
    depth, start, parts = 0, 0, []
    for index, character in enumerate(text):
        depth += (character in "(") - (character in ")")
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [tuple(word.strip() for word in part.split(":", 1)) for part in parts if part.strip()]


def _balanced(text, start):
    """The end of the parenthesis that opens at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index
    raise ValueError("a parenthesis is not closed")


class Interface:
    """`types` and `errors` by name as lists of (field, type); `methods` as pairs of them: parameters and reply."""

    def __init__(self):
        text = re.sub(r"#.*", "", FILE.read_text())
        self.types, self.methods, self.errors = {}, {}, {}
        for match in re.finditer(r"\b(type|method|error)\s+(\w+)\s*(?=\()", text):
            kind, name = match.groups()
            end = _balanced(text, match.end())
            fields = _fields(text[match.end() + 1:end])
            if kind == "type":
                self.types[name] = fields
            elif kind == "error":
                self.errors[name] = fields
            else:
                opening = text.index("(", end)
                self.methods[name] = fields, _fields(text[opening + 1:_balanced(text, opening)])


def enumeration(kind):
    """The names of an enumeration's type, or None for another type."""
    kind = kind.removeprefix("?")
    return [name.strip() for name in kind[1:-1].split(",")] if kind.startswith("(") else None


def snake(name):
    """`horizontalAccuracy` as `horizontal_accuracy`, `fromDOP` as `from_dop`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
