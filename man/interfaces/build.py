#!/usr/bin/env python3
"""Makes the interfaces' manual pages of their definitions: build.py FOLDER

What a page says before and after the types, methods and errors is in the file of its name beside this one, where @MEMBERS@
stands for them. The comment before a member of a definition has paragraphs, and a list with a line for a field:

    # One fix.
    #
    # - `latitude`: Degrees north, -90 to 90.
    type Location (latitude: float)

A method's list has its parameters, then the members of its reply, in their order. A field without a line is in the page with its
type alone, an enumeration's line names all of its values.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DEFINITIONS = HERE.parents[1] / "LocationKit/Sources/LocationInterface"
SECTIONS = {"type": "TYPES", "method": "METHODS", "error": "ERROR REPLIES"}
INTRODUCTIONS = {
    "type": 'A question mark before a type means that the field may be absent. An `enum` is a string, one of the listed words.',
    "method": "The parameters of a method without parameters, or of its reply, are an empty object. A parameter out of its range"
    " is an error, `org.varlink.service.InvalidParameter`, which names it.",
    "error": "Their full names begin with `{name}`.",
}


class Mistake(Exception):
    pass


class Field:
    def __init__(self, name, mark, words, kind):
        self.name, self.type = name, (mark or "") + (kind or "enum")
        self.words = words.split(", ") if words else []


class Member:
    def __init__(self, comment, kind, name, signature):
        self.kind, self.name, self.heading = kind, name, f"{kind} {name}"
        sides = signature.split("->")
        self.parameters, self.reply = fields(sides[0]), fields("".join(sides[1:]))
        self.blocks = blocks(comment)

    def fields(self):
        return self.parameters + self.reply


def fields(text):
    return [Field(*match) for match in re.findall(r"(\w+): (\?)?(?:\(([^)]*)\)|((?:\[\w*\])?\w+))", text)]


def blocks(comment):
    """Paragraphs, and lists of pairs of a field's name and its text."""
    result = []
    for block in re.split(r"\n\s*\n", "\n".join(line[2:] for line in comment.splitlines())):
        if block.startswith("- "):
            items = [re.fullmatch(r"`(\w+)`: (.*)", " ".join(item.split())) for item in re.split(r"(?m)^- ", block)[1:]]
            result.append([item.groups() for item in items])
        elif block.strip():
            result.append(" ".join(block.split()))
    return result


def members(definition):
    pattern = r"((?:^#.*\n)*)^(type|method|error) (\w+) ?(\((?:[^\n]|\n(?! *$|#|type |method |error ))*)"
    return [Member(*match) for match in re.findall(pattern, definition, re.M)]


class Page:
    def __init__(self, name, definition):
        self.name, self.members = name, members(definition)
        every = [field for member in self.members for field in member.fields()]
        self.names = {field.name for field in every}
        self.words = {word for field in every for word in field.words}
        self.lines = []

    def text(self):
        for kind, section in SECTIONS.items():
            of_kind = [member for member in self.members if member.kind == kind]
            if not of_kind:
                continue
            self.lines.append(f".Sh {section}")
            self.add_text(INTRODUCTIONS[kind].format(name=self.name))
            for member in of_kind:
                self.lines.append(f".Ss {member.heading}")
                self.add(member)
        return "\n".join(self.lines)

    def add(self, member):
        left, is_first, said = list(member.fields()), True, None
        reply = member.reply if member.kind == "method" else []
        lists = [pair for block in member.blocks if isinstance(block, list) for pair in block]
        texts = self.texts_by_field(member, lists)
        pending = [field for field in left]
        for block in member.blocks:
            if isinstance(block, str):
                if not is_first:
                    self.lines.append(".Pp")
                self.add_text(block)
                said, is_first = block, False
                continue
            last = max(index for index, field in enumerate(member.fields()) if texts.get(id(field)) in block)
            self.add_list(member, [f for f in member.fields()[: last + 1] if f in pending], reply, texts, said, is_first)
            pending, said, is_first = member.fields()[last + 1 :], None, False
        if pending:
            self.add_list(member, pending, reply, texts, said, is_first)

    @staticmethod
    def texts_by_field(member, lists):
        texts, fields = {}, iter(member.fields())
        for pair in lists:
            field = next((field for field in fields if field.name == pair[0]), None)
            if field is None:
                raise Mistake(f"{member.heading}: `{pair[0]}` is none of its fields, or not in their order")
            missing = [word for word in field.words if f"`{word}`" not in pair[1]]
            if missing:
                raise Mistake(f"{member.heading}: the line of `{field.name}` does not name {', '.join(missing)}")
            texts[id(field)] = pair
        unnamed = [field.name for field in member.fields() if field.words and id(field) not in texts]
        if unnamed:
            raise Mistake(f"{member.heading}: a line for `{unnamed[0]}` has to name its values")
        return texts

    def add_list(self, member, fields, reply, texts, said, is_first):
        parts = [[field for field in fields if field not in reply], [field for field in fields if field in reply]]
        for title, part in zip(["Parameters:", "Reply:"], parts):
            if not part:
                continue
            if not is_first:
                self.lines.append(".Pp")
            if member.kind == "method" and not (said or "").startswith("Replies:"):
                self.lines += [title, ".Pp"]
            self.lines.append(".Bl -tag -width Ds -compact")
            for field in part:
                self.lines.append(f".It Va {field.name} : Vt {field.type}")
                if id(field) in texts:
                    self.add_text(texts[id(field)][1], field)
            self.lines.append(".El")
            is_first = False

    def add_text(self, text, field=None):
        """A line for each sentence, with the words in backquotes as macros."""
        for sentence in re.split(r"(?<=[.?:;]) (?=[A-Z`])", text):
            plain = []
            for token in re.findall(r'[("]*`[^`]+`[^\s]*|\S+', sentence):
                code = re.fullmatch(r'([("]*)`([^`]+)`(\S*)', token)
                page = re.fullmatch(r"(\(?)([\w.-]+)\((\d)\)(\)?[,.;:]*)", token)
                if code:
                    self.flush(plain)
                    self.lines.append(f".{self.macro(code[2], field)} {self.arguments(*code.groups())}")
                elif page:
                    self.flush(plain)
                    opening = "( " if page[1] else ""
                    self.lines.append(f".Xr {opening}{page[2]} {page[3]}" + "".join(f" {mark}" for mark in page[4]))
                else:
                    plain.append(token)
            self.flush(plain)

    def flush(self, plain):
        if plain:
            line = " ".join(plain).replace("\\", "\\e")
            self.lines.append(re.sub(r"(?<![\w-])-(?=\d)", r"\\-", line))
            plain.clear()

    def macro(self, word, field):
        if field and word in field.words:
            return "Cm"
        if word in self.names:
            return "Va"
        if word in self.words or word == "more":
            return "Cm"
        if any(member.name == word for member in self.members):
            return {"type": "Vt", "method": "Fn", "error": "Li"}[next(m.kind for m in self.members if m.name == word)]
        return "Li"

    @staticmethod
    def arguments(opening, word, closing):
        word = word.replace("\\", "\\e")
        closing = "".join(f" {mark}" if mark in "().,;:?!" else f" Ns {mark}" for mark in re.findall(r"[().,;:?!]|[^().,;:?!]+", closing))
        return "".join(f"{mark} " for mark in opening) + word + closing


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(DEFINITIONS.rglob("*.varlink")):
        frame = HERE / f"{path.stem}.7"
        try:
            text = Page(path.stem, path.read_text()).text()
        except Mistake as mistake:
            sys.exit(f"{path.name}: {mistake}")
        (folder / frame.name).write_text(frame.read_text().replace("@MEMBERS@", text))


main()
