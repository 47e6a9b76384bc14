"""Writes the values of the Python client: enumerations, types, and the functions that read them from replies."""

import re
import textwrap

import exceptions
from model import HEADING, snake
from varlink import Mistake

PACKAGE = "clients/python/src/locationd"
WIDTH = 120
AGE = """
    def age(self) -> float:
        \"""Seconds from then until now; it counts a suspend, and no change of the wall clock moves it.\"""
        return boottime() - self.monotonic_time"""
TYPES_DOC = """The values of the interface, with its names in snake_case.

Units: metres, metres per second, degrees (clockwise from true north), seconds; times are UTC. `None` is unknown, or a
value of an enumeration that a later daemon has added. No number is NaN or infinite."""
ENUMERATIONS_DOC = """The enumerations of the interface.

Each member equals its name there: `status.source == "tracking"` holds. A value that a later daemon has added is read as
`None`, never as another member.
"""
FREEZE = """
    def __post_init__(self) -> None:
        # A list could be changed, has no hash, and does not equal the tuple that the daemon's answer is read into."""
METHODS = {"float": "number", "int": "integer", "bool": "boolean", "string": "text"}


def files(location, history):
    types, readers = Types(location), Readers(location)
    track_types, track_readers = Types(history), Readers(history)
    for name in {item.python for item in history.enumerations.values()} - location.enumerations.keys():
        raise Mistake(f"{history.file}: {name} is not in {location.file}; name it in interfaces/exceptions.py")
    return {
        f"{PACKAGE}/enums.py": enumerations(location),
        f"{PACKAGE}/types.py": module(
            location,
            TYPES_DOC,
            types.lines(),
            types.names(),
        ),
        f"{PACKAGE}/reading.py": module(
            location,
            "The values of the interface from the fields of replies, with the documented ranges. Pure: no I/O.",
            readers.lines(),
        ),
        f"{PACKAGE}/track.py": module(
            history,
            "The values of the track, and how they are read from replies. Units and `None` are as in `types`.",
            track_types.lines() + track_readers.lines(),
            track_types.names(),
        ),
    }


def module(model, doc, lines, exported=()):
    """A file, with what its lines use imported."""
    text = "\n".join(lines)
    imports = []
    abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in text]
    if abstract:
        imports.append(f"from collections.abc import {', '.join(abstract)}")
    others = [("dataclasses", "dataclass"), ("datetime", "datetime")]
    imports += [f"from {source} import {name}" for source, name in others if re.search(rf"\b{name}\b", text)]
    enumeration_names = [item.python for item in model.enumerations.values()]
    defined = set(re.findall(r"^class (\w+)", text, re.M))
    ours = [("clock", ["boottime"]), ("enums", enumeration_names), ("satellites", ["Satellites"]),
            ("types", [python_name(item.name) for item in model.types]), ("wire", ["Fields"])]
    local = []
    for source, names in ours:
        use = r"\b{}\(" if source == "satellites" else r"\b{}\b(?!`)"
        used = sorted(name for name in names if name not in defined and re.search(use.format(name), text))
        if used:
            joined = ", ".join(used)
            line = f"from .{source} import {joined}"
            listed = [f"from .{source} import (", *(f"    {name}," for name in used), ")"]
            local += [line] if len(line) <= WIDTH else listed
    parts = [f"# {HEADING.format(file=model.file)}", f'"""{doc}{chr(10) if chr(10) in doc else ""}"""']
    parts += ["", *imports] if imports else []
    parts += ["", *local] if local else []
    if exported:
        parts += ["", "__all__ = [", *(f'    "{name}",' for name in sorted(exported)), "]"]
    return "\n".join(parts + lines) + "\n"


def enumerations(model):
    lines = ["", "from enum import StrEnum"]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in sorted(model.enumerations)), "]"]
    for item in model.enumerations.values():
        lines += ["", "", f"class {item.python}(StrEnum):", f'    """{item.doc}"""', ""]
        for word in ["unknown"] * item.has_unknown + item.words:
            lines.append(f'    {snake(word).upper()} = "{word}"')
            lines += docstring([item.texts[word]], 4) if word in item.texts else []
    return "\n".join([f"# {HEADING.format(file=model.file)}", f'"""{ENUMERATIONS_DOC}"""', *lines]) + "\n"


def python_name(name):
    return exceptions.PYTHON_NAMES.get(name, name)


def docstring(paragraphs, indent):
    space = " " * indent
    if len(paragraphs) == 1 and len(paragraphs[0]) + indent + 6 <= WIDTH:
        return [f'{space}"""{paragraphs[0]}"""']
    lines = []
    for index, paragraph in enumerate(paragraphs):
        first = space + ('"""' if index == 0 else "")
        following = space + (" " * 4 if paragraph.startswith("`") and index > 0 else "")
        separator = [""] if index == 1 or index > 1 and not paragraph.startswith("`") else []
        lines += separator + textwrap.wrap(paragraph, WIDTH - 3, initial_indent=first, subsequent_indent=following,
                                           break_long_words=False, break_on_hyphens=False)
    return [*lines, f'{space}"""'] if len(paragraphs) > 1 else [*lines[:-1], lines[-1] + '"""']


class Types:
    """The types as frozen dataclasses. Those that a program makes have their fields' texts where `help` shows them."""

    def __init__(self, model):
        self.model = model

    def names(self):
        return [python_name(member.name) for member in self.model.types]

    def lines(self):
        return [line for member in self.model.types for line in self.type(member)]

    def type(self, member):
        is_given = member.name in self.model.given
        keywords = "" if member.name in exceptions.POSITIONAL else ", kw_only=True"
        lines = ["", "", f"@dataclass(frozen=True, slots=True{keywords})", f"class {python_name(member.name)}:"]
        doc = [exceptions.TEXTS.get(member.name)] if member.name in exceptions.TEXTS else [
            self.text(block) for block in member.blocks[:1] if isinstance(block, str)]
        if is_given:
            doc += [f"`{snake(field.name)}`: {text[0].lower()}{text[1:]}" for field in self.model.fields(member)
                    for text in [self.field_text(member, field)]]
        lines += [*docstring(doc, 4), ""]
        for field in self.model.fields(member):
            if field.name == "age":
                continue
            default = " = None" if field.type.is_optional else ""
            lines.append(f"    {snake(field.name)}: {self.annotation(member, field, is_given)}{default}")
            lines += [] if is_given else docstring([self.field_text(member, field)], 4)
        if member.name in exceptions.OWN_FIELDS:
            declaration, text = exceptions.OWN_FIELDS[member.name]
            lines += [f"    {declaration}", *docstring([text], 4)]
        if any(field.name == "age" for field in self.model.fields(member)):
            lines += AGE.splitlines()
        arrays = [snake(field.name) for field in self.model.fields(member) if field.type.kind == "array"]
        if is_given and arrays:
            lines += FREEZE.splitlines()
            for name in arrays:
                lines.append(f"        if self.{name} is not None:")
                lines.append(f'            object.__setattr__(self, "{name}", tuple(self.{name}))')
        return lines

    def annotation(self, member, field, is_given):
        plain = self.plain(member, field, field.type, is_given)
        return f"{plain} | None" if field.type.is_optional or field.type.kind == "enum" else plain

    def plain(self, member, field, type, is_given):
        if type.element:
            element = self.plain(member, field, type.element, is_given)
            element += " | None" if type.element.kind == "enum" else ""
            if type.kind == "dictionary":
                return f"Mapping[str, {element}]"
            return f"Sequence[{element}]" if is_given else f"tuple[{element}, ...]"
        if type.kind == "enum":
            return self.model.enumeration(member.name, field).python
        if type.kind == "name":
            return python_name(type.name)
        return "datetime" if self.model.is_time(field) else {"string": "str"}.get(type.kind, type.kind)

    def field_text(self, member, field):
        texts = self.model.texts(member.name, field)
        if field.type.kind == "enum" and not field.type.is_optional:
            texts.append("`None` if a later daemon has another value.")
        return self.text(" ".join(texts))

    def text(self, text):
        """A description's text with Python's names of fields, and of what is absent."""
        return re.sub(r"\bfalse\b", "False", re.sub(r"\b[Aa]bsent\b", "`None`", self.model.snake_names(text)))


class Readers:
    """The functions `read_TYPE`, and those for the updates of a method whose replies have one of several members."""

    def __init__(self, model):
        self.model = model

    def lines(self):
        limits = [member.name for member in self.model.types if member.name in exceptions.LIMITS]
        lines = ["", *(f"{self.limit(name)} = {exceptions.LIMITS[name]}" for name in limits)] if limits else []
        for member in self.model.types:
            lines += self.reader(member)
        for method in self.model.methods:
            if len(method.reply) > 1 and all(field.type.is_optional for field in method.reply):
                lines += self.updates(method)
        return lines

    @staticmethod
    def limit(name):
        return f"_MAXIMUM_{snake(name).upper()}S"

    def takes_now(self, name):
        """Whether the value has the time of an age that is read, and no time of its own."""
        names = {field.name for field in self.model.description.type(name).parameters}
        return "age" in names and "monotonicTime" not in names

    def reader(self, member):
        name = python_name(member.name)
        now = ", now: float" if self.takes_now(member.name) else ""
        lines = ["", "", f"def read_{snake(name)}(fields: Fields{now}) -> {name}:"]
        if now:
            lines.append('    """`now`: the time of `CLOCK_BOOTTIME` at receipt."""')
        elif any(field.name == "age" for field in self.model.fields(member)):
            lines.append("    # The age at sending is not kept, but a reply without it is not one of the interface.")
            lines.append('    fields.number("age")')
        lines.append(f"    return {name}(")
        for field in self.model.fields(member):
            if field.name != "age":
                lines.append(f"        {snake(field.name)}={self.read(member, field)},")
            elif now:
                lines.append('        monotonic_time=now - fields.number("age"),')
        return [*lines, "    )"]

    def read(self, member, field):
        """The call that reads a field."""
        type, suffix = field.type, "_or_none" if field.type.is_optional else ""
        arguments = [f'"{field.name}"']
        if type.kind == "enum":
            method, arguments = "choice", [*arguments, self.model.enumeration(member.name, field).python]
        elif type.kind == "name":
            method, arguments = "object", [*arguments, self.function(type.name)]
        elif type.kind == "array" and type.element.kind == "name":
            method, arguments = "objects", [*arguments, self.function(type.element.name)]
            arguments += [self.limit(type.element.name)] if type.element.name in exceptions.LIMITS else []
        elif type.element:
            method, arguments = type.kind, [*arguments, self.element(member, field, type.element)]
        else:
            method = "time" if self.model.is_time(field) else METHODS[type.kind]
            arguments += self.range(field)
        return f"fields.{method}{suffix}({', '.join(arguments)})"

    def element(self, member, field, type):
        """A function that reads an element of an array or dictionary by its key."""
        if type.element:
            return f"lambda each, key: each.{type.kind}(key, {self.element(member, field, type.element)})"
        if type.kind == "enum":
            return f"lambda each, key: each.choice(key, {self.model.enumeration(member.name, field).python})"
        if type.kind == "name":
            return f"lambda each, key: each.object(key, {self.function(type.name)})"
        return "Fields.time" if self.model.is_time(field) else f"Fields.{METHODS[type.kind]}"

    def function(self, name):
        function = f"read_{snake(python_name(name))}"
        return f"lambda value: {function}(value, now)" if self.takes_now(name) else function

    def range(self, field):
        low, high, below = self.model.range(field)
        if (low, high, below) == (None, None, None):
            return []
        return [str(low), *([] if high is None else [str(high)]), *([] if below is None else [f"below={below}"])]

    def updates(self, method):
        kinds, lines, arguments = [], [], []
        for field in method.reply:
            if field.type.kind == "array":
                # A list is an update by itself, and has a class of its own.
                kinds.append(field.name.capitalize())
                lines.append(f"    {field.name} = {self.read(method, field)}")
                arguments.append(f"        None if {field.name} is None else {kinds[-1]}({field.name}),")
            elif field.type.kind == "name":
                kinds.append(python_name(field.type.name))
                arguments.append(f"        {self.read(method, field)},")
        doc = f"What a reply of {method.name} has, in this order; nothing if it has only what a later daemon has added."
        name, result = f"read_{snake(method.name)}_updates", " | ".join(kinds)
        return ["", "", f"def {name}(fields: Fields, now: float) -> list[{result}]:", f'    """{doc}"""',
                *lines, "    updates = (", *arguments, "    )",
                "    return [update for update in updates if update is not None]"]
