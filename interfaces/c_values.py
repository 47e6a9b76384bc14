"""Writes the values of liblocationd: what its header has of the description, and the tables to read and send them.

The header is its own record of the ABI: what it has keeps its place, its bit and its type, and what is new in the
description is added at the end. Comments of members are the description's; comments of structs and enumerations, and
members that the description does not have, stay as they are.
"""

import re
import textwrap

import exceptions
from model import HEADING, snake
from varlink import Mistake

HEADER = "clients/c/include/locationd.h"
SOURCES = "clients/c/src"
WIDTH = 120
MEMBER = re.compile(r"\s*(?:/\*\*(?!<)(.*?)\*/\s*)?([^;/]+?);(?:[ \t]*/\*\*<(.*?)\*/)?", re.S)
CONSTANT = re.compile(r"\s*(LOCATIOND_\w+),?(?:[ \t]*/\*\*<(.*?)\*/)?", re.S)
DECLARED = {"float": r"double \w+", "bool": r"bool \w+", "int": r"int(?:32|64)_t \w+",
            "enum": r"enum locationd_\w+ \w+", "string": r"const char \*\w+|char \w+\[\d+\]"}
NEW = {"float": "double", "bool": "bool", "int": "int32_t"}
KINDS = {"float": "NUMBER", "bool": "BOOLEAN", "string": "TEXT", "enum": "ENUMERATION", "name": "OBJECT"}


class Struct:
    """A struct of the header, and the fields of the description that it has."""

    def __init__(self, owner, name, prefix, fields, is_given):
        self.owner, self.name, self.prefix, self.fields, self.is_given = owner, name, prefix, fields, is_given
        self.declarations = {}

    def bit(self, field):
        return f"LOCATIOND_{self.prefix}_HAS_{snake(field.name).upper()}"


class Library:
    def __init__(self, model, header):
        self.model, self.header = model, header
        #: The values of each enumeration, from 1, in the header's order.
        self.order = {}
        self.structs = [
            Struct(member.name, name, name.upper(), model.fields(member), member.name in model.given)
            for member in model.types for name in [snake(member.name)]
        ]
        for method in model.methods:
            if method.name in exceptions.OPTIONS:
                name, prefix = exceptions.OPTIONS[method.name]
                self.structs.append(Struct(method.name, name, prefix, model.parameters(method), True))
        for item in model.enumerations.values():
            self.add_constants(item)
        for struct in self.structs:
            self.add_members(struct)
            self.add_bits(struct)

    def files(self):
        return {HEADER: self.header, f"{SOURCES}/tables.h": self.tables_header(), f"{SOURCES}/tables.c": self.tables()}

    def body(self, owner, kind, name, example):
        match = re.search(rf"^{kind} locationd_{name} {{\n(.*?)^}};", self.header, re.M | re.S)
        if not match:
            raise Mistake(f"{HEADER} has no {kind} locationd_{name}, for {owner}: write {example} where it belongs,"
                          " with its comment, or leave it out in interfaces/exceptions.py")
        return match

    def replace(self, match, lines):
        self.header = self.header[: match.start(1)] + "\n".join(lines) + "\n" + self.header[match.end(1) :]

    def add_constants(self, item):
        constants = {f"LOCATIOND_{item.prefix}_{snake(word).upper()}": word for word in item.words}
        unknown = f"LOCATIOND_{item.prefix}_UNKNOWN"
        match = self.body(item.python, "enum", item.c, f"`enum locationd_{item.c} {{ {unknown} }};`")
        found = dict(CONSTANT.findall(match[1]))
        for name in found.keys() - constants.keys() - {unknown}:
            raise Mistake(f"{HEADER}: {name} is not in {self.model.file}, but its number is for good")
        rows = [(name, item.texts.get(constants.get(name), plain(comment))) for name, comment in found.items()]
        rows += [(name, item.texts.get(word, "")) for name, word in constants.items() if name not in found]
        self.order[item.c] = [constants[name] for name, _ in rows[1:]]
        self.replace(match, commented([(name + ",", text) for name, text in rows[:-1]] + rows[-1:]))

    def add_members(self, struct):
        match = self.body(struct.owner, "struct", struct.name, "an empty one")
        described = {snake(field.name): field for field in struct.fields}
        rows = []
        for before, declaration, after in MEMBER.findall(match[1]):
            declaration = " ".join(declaration.split())
            name = re.search(r"(\w+)(?:\[\d+\])?$", declaration)[1]
            struct.declarations[name] = declaration
            if name in described:
                self.check(struct, described[name], declaration)
            text = self.text(struct, described[name]) if name in described else plain(before or after)
            rows.append((declaration + ";", text))
        for name, field in described.items():
            if name not in struct.declarations:
                if "reserved" in struct.declarations:
                    problem = f"takes room of `reserved` in struct locationd_{struct.name}: declare it there"
                    self.model.fail(struct.owner, field, problem)
                struct.declarations[name] = self.declaration(struct, field)
                rows.append((struct.declarations[name] + ";", self.text(struct, field)))
        self.replace(match, commented(rows))

    def check(self, struct, field, declaration):
        inner = field.type.innermost()
        expected = DECLARED.get(inner.kind, rf".*\bstruct locationd_{snake(inner.name)}\b.*")
        if self.model.is_time(field):
            expected = r"int64_t \w+"
        elif field.type.element and inner.kind != "name":
            expected = r"const char \*const \*\w+"
        if not re.fullmatch(expected, declaration):
            problem = f"is {field.type}, but {HEADER} declares `{declaration}`, which is for good"
            self.model.fail(struct.owner, field, problem)

    def declaration(self, struct, field):
        name, type = snake(field.name), field.type
        if type.element:
            self.model.fail(struct.owner, field, f"is {type}, for which C has several forms: declare it in struct"
                            f" locationd_{struct.name}, or leave it out in interfaces/exceptions.py")
        if type.kind == "name":
            kind = f"struct locationd_{snake(type.name)}"
            return f"const {kind} *{name}" if struct.is_given else f"{kind} {name}"
        if type.kind == "enum":
            return f"enum locationd_{self.model.enumeration(struct.owner, field).c} {name}"
        if self.model.is_time(field):
            return f"int64_t {name}"
        if type.kind == "string":
            return f"const char *{name}" if struct.is_given else f"char {name}[256]"
        return f"{NEW[type.kind]} {name}"

    def text(self, struct, field):
        """The first sentence about a field and its default, with its range and unit where it does not say them."""
        texts = self.model.texts(struct.owner, field)
        if field.type.kind == "enum" and f"{struct.owner}.{field.name}" not in exceptions.TEXTS:
            return self.model.enumeration(struct.owner, field).doc
        if f"{struct.owner}.{field.name}" not in exceptions.TEXTS:
            texts = texts[:1] + [text for text in texts[1:] if text.startswith("Default:")]
        low, high, below = self.model.range(field)
        is_said = re.search(r"\d(?: \(\w+\))? to |not negative|from \d", texts[0])
        if not struct.is_given and low is not None and not is_said:
            limits = "not negative" if high is None else f"{low} to {high}"
            texts[0] = f"{texts[0][:-1]}, {f'{low} to below {below}' if below else limits}."
        if self.model.is_time(field):
            texts.append("Milliseconds since 1970-01-01 00:00 UTC.")
        return self.model.snake_names(" ".join(texts))

    def has_bit(self, struct, field):
        """Texts, arrays and objects that a program gives are absent as NULL, enumerations as 0."""
        is_pointer = struct.is_given and "*" in struct.declarations[snake(field.name)]
        return field.type.is_optional and field.type.kind != "enum" and not is_pointer

    def add_bits(self, struct):
        pattern = rf"^#define LOCATIOND_{struct.prefix}_HAS_\w+ \(UINT64_C\(1\) << (\d+)\)\n"
        for field in struct.fields:
            if self.has_bit(struct, field) and f"#define {struct.bit(field)} " not in self.header:
                found = list(re.finditer(pattern, self.header, re.M))
                comment = self.header.rindex("/**", 0, self.header.index(f"\nstruct locationd_{struct.name} {{"))
                place = found[-1].end() if found else comment
                line = f"#define {struct.bit(field)} (UINT64_C(1) << {int(found[-1][1]) + 1 if found else 0})\n"
                self.header = self.header[:place] + line + ("" if found else "\n") + self.header[place:]

    def rows(self, struct):
        """The members that a table reads or sends; lists, and objects that are given, are left to the code."""
        if struct.is_given:
            # A number that has to be given has no bit that says whether it is.
            return [field for field in struct.fields if field.type.kind in ("string", "enum")
                    or self.has_bit(struct, field) and field.type.kind != "name"]
        return [field for field in struct.fields if "*" not in struct.declarations[snake(field.name)]]

    def kind(self, struct, field):
        if self.model.is_time(field):
            return "TIME"
        declared = struct.declarations[snake(field.name)].split()[0]
        return KINDS.get(field.type.kind) or declared.removesuffix("_t").upper()

    def table(self, struct):
        form = "option" if struct.is_given else "field"
        lines = [f"static const struct {form} {struct.name}_rows[] = {{"]
        for field in self.rows(struct):
            parts = [f'ROW({struct.name}, {snake(field.name)}, "{field.name}", FIELD_{self.kind(struct, field)})']
            if self.has_bit(struct, field):
                parts.append(f".bit = {struct.bit(field)}")
            if not struct.is_given:
                size = f".size = SIZE({struct.name}, {snake(field.name)})"
                parts += [size] if self.kind(struct, field) == "TEXT" else []
                parts += ["IS_REQUIRED"] if not field.type.is_optional else []
                parts += self.range(struct, field)
            if field.type.kind == "name":
                parts.append(f".object = &{snake(field.type.name)}_table")
            if field.type.kind == "enum":
                parts.append(f".enumeration = &{self.model.enumeration(struct.owner, field).c}_enumeration")
            lines += wrapped(parts)
        for name in exceptions.LOCAL_OPTIONS.get(struct.owner, []):
            bit = f".bit = LOCATIOND_{struct.prefix}_HAS_{name.upper()}"
            lines += wrapped([f'ROW({struct.name}, {name}, "{name}", FIELD_NUMBER)', bit, ".is_local = true"])
        present = "" if struct.is_given else f", .has_present = {str('present' in struct.declarations).lower()}"
        table = f"{{TABLE({struct.name}_rows){present}}}"
        return [*lines, "};", f"const struct {form}_table {struct.name}_table = {table};", ""]

    def range(self, struct, field):
        kind, (low, high, below) = self.kind(struct, field), self.model.range(field)
        limits = {"NUMBER": ("-DBL_MAX", "DBL_MAX"), "INT32": ("INT32_MIN", "INT32_MAX")}.get(kind)
        if not limits:
            return []
        low, high = limits[0] if low is None else low, limits[1] if high is None else high
        return [f"BELOW({low}, {below})" if below is not None else f"BETWEEN({low}, {high})"]

    def with_tables(self, is_given):
        return [struct for struct in self.structs if struct.is_given == is_given and self.rows(struct)]

    def heading(self):
        return f"// {HEADING.format(file=self.model.file)}"

    def tables_header(self):
        lines = [self.heading(), "// The members of the header's structs by the interface's names."]
        lines += ["#ifndef LOCATIOND_TABLES_H", "#define LOCATIOND_TABLES_H", "", '#include "options.h"', ""]
        for kind, names in [("enumeration", [f"{item.c}_enumeration" for item in self.model.enumerations.values()]),
                            ("field_table", [f"{struct.name}_table" for struct in self.with_tables(False)]),
                            ("option_table", [f"{struct.name}_table" for struct in self.with_tables(True)])]:
            lines += textwrap.wrap(f"extern const struct {kind} {', '.join(names)};", WIDTH, subsequent_indent="    ")
        return "\n".join([*lines, "", "#endif"]) + "\n"

    def tables(self):
        lines = [self.heading(), '#include "tables.h"', "", "#include <float.h>", "", *MACROS.splitlines(), ""]
        for item in self.model.enumerations.values():
            names = [f'[LOCATIOND_{item.prefix}_{snake(word).upper()}] = "{word}"' for word in item.words]
            lines += ["ENUMERATION(" + ",\n            ".join([item.c, *names]) + ");"]
        lines.append("")
        for struct in self.with_tables(False) + self.with_tables(True):
            lines += self.table(struct)
        growing = [struct for struct in self.structs if list(struct.declarations)[-1] != "reserved"]
        lines += [f"HAS_NO_PADDING({struct.name}, {list(struct.declarations)[-1]});" for struct in growing]
        return "\n".join(lines) + "\n"


MACROS = r"""_Static_assert(sizeof(enum locationd_mode) == sizeof(int), "enumerations are read as int");

#define ENUMERATION(name, ...) \
    static const char *const name##_names[] = {__VA_ARGS__}; \
    const struct enumeration name##_enumeration = {TABLE(name##_names)}
#define TABLE(rows) rows, sizeof rows / sizeof *rows
#define ROW(type, member, text, kind_) .name = text, .kind = kind_, .offset = offsetof(struct locationd_##type, member)
#define SIZE(type, member) sizeof(((struct locationd_##type *)0)->member)
#define IS_REQUIRED .is_required = true
#define BETWEEN(low, high) .minimum = low, .maximum = high
#define BELOW(low, high) BETWEEN(low, high), .is_below_maximum = true"""


def plain(comment):
    """A comment's text without its frame."""
    return " ".join(re.sub(r"^\s*\*", "", comment, flags=re.M).split())


def commented(rows):
    """Lines of code with their comments beside them, or before them where they are long."""
    width = max((len(code) for code, text in rows if text and len(code) <= 36), default=0)
    lines = []
    for code, text in rows:
        beside = f"    {code:<{width}} /**< {text} */"
        if not text:
            lines.append(f"    {code}")
        elif len(beside) <= WIDTH:
            lines.append(beside)
        elif len(text) + 11 <= WIDTH:
            lines += [f"    /** {text} */", f"    {code}"]
        else:
            paragraph = textwrap.wrap(text, WIDTH, initial_indent="     * ", subsequent_indent="     * ")
            lines += ["    /**", *paragraph, "     */", f"    {code}"]
    return lines


def wrapped(parts):
    """A row of a table, in two lines if it is long."""
    line = f"    {{{', '.join(parts)}}},"
    return [line] if len(line) <= WIDTH else [f"    {{{parts[0]},", f"     {', '.join(parts[1:])}}},"]
