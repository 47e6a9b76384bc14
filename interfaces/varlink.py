"""Reads the interfaces' descriptions: the members with their types, lines and comments.

The comment before a member has paragraphs, and a list with a line for a field:

    # One fix.
    #
    # - `latitude`: Degrees north, -90 to 90.
    type Location (latitude: float)

A method's list has its parameters, then the members of its reply, in their order. A field may lack a line, but an
enumeration has one, which names all of its values.
"""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "LocationKit/Sources/LocationInterface"
TOKEN = re.compile(r"#[^\n]*|->|[A-Za-z][\w.-]*|[][(),:?]|\s+")


class Mistake(Exception):
    """What is wrong with a description; the text begins with the place."""


@dataclasses.dataclass
class Type:
    """`kind` is bool, int, float, string, object, enum, name (of a type), array or dictionary."""

    kind: str
    is_optional: bool = False
    name: str = ""
    words: tuple[str, ...] = ()
    element: "Type | None" = None

    def __str__(self):
        brackets = {"array": "[]", "dictionary": "[string]"}.get(self.kind, "")
        plain = f"({', '.join(self.words)})" if self.words else f"{brackets}{self.element or self.name or self.kind}"
        return ("?" if self.is_optional else "") + plain

    def innermost(self):
        return self.element.innermost() if self.element else self


@dataclasses.dataclass
class Field:
    name: str
    type: Type
    line: int
    text: str = ""

    @property
    def words(self):
        return self.type.innermost().words


@dataclasses.dataclass
class Member:
    kind: str
    name: str
    line: int
    blocks: list
    parameters: list[Field]
    reply: list[Field]

    @property
    def heading(self):
        return f"{self.kind} {self.name}"

    def fields(self):
        return self.parameters + self.reply


class Description:
    """An interface: its name and its members, in their order."""

    def __init__(self, text, file=""):
        self.file, self.name, self.members = file, "", []
        self._tokens, position, line = [], 0, 1
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                raise Mistake(f"{file}:{line}: {text[position]!r} is not expected")
            self._tokens.append((match[0], line))
            line, position = line + match[0].count("\n"), match.end()
        self._read()

    def type(self, name):
        return next((member for member in self.members if member.kind == "type" and member.name == name), None)

    def of_kind(self, kind):
        return [member for member in self.members if member.kind == kind]

    def _read(self):
        comment = []
        while self._tokens:
            token, line = self._tokens.pop(0)
            if token.startswith("#"):
                comment.append(token[2:])
            elif token.isspace():
                comment = comment if token == "\n" else []
            elif token == "interface":
                self.name, comment = self._next()[0], []
            elif token in ("type", "method", "error"):
                name, parameters, reply = self._next()[0], self._fields(), []
                if token == "method":
                    self._expect("->")
                    reply = self._fields()
                member = Member(token, name, line, blocks("\n".join(comment)), parameters, reply)
                self._add_texts(member)
                self.members.append(member)
                comment = []
            else:
                raise Mistake(f"{self.file}:{line}: {token} is not expected")

    def _next(self):
        while self._tokens:
            token, line = self._tokens.pop(0)
            if not token.isspace() and not token.startswith("#"):
                return token, line
        raise Mistake(f"{self.file}: the file ends within a member")

    def _expect(self, *expected):
        token, line = self._next()
        if token not in expected:
            raise Mistake(f"{self.file}:{line}: {token} stands where {' or '.join(expected)} is expected")
        return token

    def _fields(self):
        self._expect("(")
        fields = []
        name, line = self._next()
        while name != ")":
            self._expect(":")
            fields.append(Field(name, self._type(*self._next()), line))
            name, line = self._next() if self._expect(",", ")") == "," else (")", line)
        return fields

    def _type(self, token, line):
        if token == "?":
            type = self._type(*self._next())
            if type.is_optional:
                raise Mistake(f"{self.file}:{line}: two question marks")
            type.is_optional = True
            return type
        if token == "[":
            kind = "array" if self._expect("]", "string") == "]" else "dictionary"
            if kind == "dictionary":
                self._expect("]")
            return Type(kind, element=self._type(*self._next()))
        if token == "(":
            words = [self._next()[0]]
            while (separator := self._expect(",", ")", ":")) == ",":
                words.append(self._next()[0])
            if separator == ":":
                raise Mistake(f"{self.file}:{line}: a struct without a name cannot be expressed; make it a type")
            return Type("enum", words=tuple(words))
        if token in ("bool", "int", "float", "string", "object"):
            return Type(token)
        return Type("name", name=token)

    def _add_texts(self, member):
        place, fields = f"{self.file}:{member.line}: {member.heading}", iter(member.fields())
        for name, text in (pair for block in member.blocks if isinstance(block, list) for pair in block):
            field = next((field for field in fields if field.name == name), None)
            if field is None:
                raise Mistake(f"{place}: `{name}` is none of its fields, or not in their order")
            missing = [word for word in field.words if f"`{word}`" not in text]
            if missing:
                raise Mistake(f"{place}: the line of `{name}` does not name {', '.join(missing)}")
            field.text = text
        unnamed = [field.name for field in member.fields() if field.words and not field.text]
        if unnamed:
            raise Mistake(f"{place}: a line for `{unnamed[0]}` has to name its values")


def blocks(comment):
    """Paragraphs, and lists of pairs of a field's name and its text."""
    result = []
    for block in re.split(r"\n\s*\n", comment):
        if block.startswith("- "):
            items = [re.fullmatch(r"`(\w+)`: (.*)", " ".join(item.split())) for item in re.split(r"(?m)^- ", block)[1:]]
            result.append([item.groups() for item in items])
        elif block.strip():
            result.append(" ".join(block.split()))
    return result


def read_all():
    """The descriptions of all interfaces by their names."""
    paths = sorted(FOLDER.rglob("*.varlink"))
    return {path.stem: Description(path.read_text(), path.name) for path in paths}
