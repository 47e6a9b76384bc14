#!/usr/bin/env python3
"""Makes the interfaces' manual pages of their definitions: build.py FOLDER

What a page says before and after the types, methods and errors is in the file of its name beside this one, where @MEMBERS@
stands for them. The comments of the definitions are as interfaces/varlink.py says. A field without a line is in the page with its
type alone, an enumeration's line names all of its values.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "interfaces"))
from varlink import Mistake, read_all  # noqa: E402

SECTIONS = {"type": "TYPES", "method": "METHODS", "error": "ERROR REPLIES"}
INTRODUCTIONS = {
    "type": 'A question mark before a type means that the field may be absent. An `enum` is a string, one of the listed words.',
    "method": "The parameters of a method without parameters, or of its reply, are an empty object. A parameter out of its range"
    " is an error, `org.varlink.service.InvalidParameter`, which names it.",
    "error": "Their full names begin with `{name}`.",
}


class Page:
    def __init__(self, description):
        self.name, self.members = description.name, description.members
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
        pending = [field for field in left]
        for block in member.blocks:
            if isinstance(block, str):
                if not is_first:
                    self.lines.append(".Pp")
                self.add_text(block)
                said, is_first = block, False
                continue
            last = max(index for index, field in enumerate(member.fields()) if (field.name, field.text) in block)
            self.add_list(member, [f for f in member.fields()[: last + 1] if f in pending], reply, said, is_first)
            pending, said, is_first = member.fields()[last + 1 :], None, False
        if pending:
            self.add_list(member, pending, reply, said, is_first)

    def add_list(self, member, fields, reply, said, is_first):
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
                type = re.sub(r"\(.*\)", "enum", str(field.type))
                self.lines.append(f".It Va {field.name} : Vt {type}")
                if field.text:
                    self.add_text(field.text, field)
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
    try:
        for name, description in read_all().items():
            frame = (HERE / f"{name}.7").read_text()
            (folder / f"{name}.7").write_text(frame.replace("@MEMBERS@", Page(description).text()))
    except Mistake as mistake:
        sys.exit(str(mistake))


main()
