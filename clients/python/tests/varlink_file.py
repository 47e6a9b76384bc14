"""Reads the interface's file as far as the tests compare it."""

import re
from pathlib import Path

_FOLDER = Path(__file__).parents[3] / "LocationKit/Sources/LocationInterface"
FILE = _FOLDER / "org.locationd.location.varlink"
HISTORY_FILE = _FOLDER / "History/org.locationd.history.varlink"

_TOKEN = re.compile(r"->|\[\]|\[string\]|[A-Za-z][A-Za-z0-9_]*|[(),:?]")


class Interface:
    """The members: `types`, `methods` (their parameters), `replies` and `errors`, each with fields and their types.

    A type is a text such as `float`, `[]Region` or `(full, reduced)`, with `?` in front if the field is optional.
    """

    def __init__(self, text: str) -> None:
        self.types: dict[str, dict[str, str]] = {}
        self.methods: dict[str, dict[str, str]] = {}
        self.replies: dict[str, dict[str, str]] = {}
        self.errors: dict[str, dict[str, str]] = {}
        lines = [line for line in text.splitlines() if not line.startswith(("#", "interface"))]
        self._tokens: list[str] = _TOKEN.findall("\n".join(lines))
        while self._tokens:
            kind, name = self._next(), self._next()
            fields = self._fields()
            match kind:
                case "type":
                    self.types[name] = fields
                case "error":
                    self.errors[name] = fields
                case "method":
                    self.methods[name] = fields
                    assert self._next() == "->"
                    self.replies[name] = self._fields()
                case _:
                    raise ValueError(f"{kind} {name}")

    def _next(self) -> str:
        return self._tokens.pop(0)

    def _fields(self) -> dict[str, str]:
        assert self._next() == "("
        fields: dict[str, str] = {}
        while self._tokens[0] != ")":
            if self._tokens[0] == ",":
                self._next()
            name = self._next()
            assert self._next() == ":"
            fields[name] = self._type()
        self._next()
        return fields

    def _type(self) -> str:
        text = ""
        while self._tokens[0] in ("?", "[]", "[string]"):
            text += self._next()
        if self._tokens[0] != "(":
            return text + self._next()
        members = []
        while (token := self._next()) != ")":
            if token not in "(,":
                members.append(token)
        return f"{text}({', '.join(members)})"
