"""Writes what the conformance driver over liblocationd has of the interface: structs as JSON, and options from JSON."""

import textwrap

from model import HEADING, snake

FOLDER = "clients/conformance/drivers"
SETTERS = {"NUMBER": "real", "INT32": "integer", "INT64": "integer", "BOOLEAN": "bool", "TEXT": "text", "TIME": "time"}
VALUES = {"NUMBER": "number_value", "INT64": "integer_value", "BOOLEAN": "is_true", "TEXT": "string_value"}


def files(model, library):
    results = [struct for struct in library.structs if not struct.is_given]
    options = [struct for struct in library.structs if struct.name.endswith("_options")]
    functions = {f"json_t *{each.name}_json(const struct locationd_{each.name} *value)": members(library, each)
                 for each in results}
    functions |= {f"bool take_{each.name}(struct locationd_{each.name} *to, const char *key, json_t *value)":
                  taken(library, each) for each in options}
    heading = f"/* {HEADING.format(file=model.file)} */"
    header = [heading, "#ifndef C_OUTPUT_H", "#define C_OUTPUT_H", "", "#include <jansson.h>", "#include <locationd.h>",
              "",
              "/* Structs by the interface's names, without what is absent and without lists, which the driver adds; */",
              "/* and options that a bit, a text or an enumeration says: false for another one. */",
              *(f"{prototype};" for prototype in functions), "", "#endif"]
    lines = [heading, "#define _POSIX_C_SOURCE 200809L", '#include "c_output.h"', "", '#include "c_members.h"', ""]
    for item in model.enumerations.values():
        first = '"unknown"' if item.has_unknown else "NULL"
        names = ", ".join([first, *(f'"{word}"' for word in library.order[item.c])])
        lines.append(f"static const char *const {item.c}_names[] = {{{names}}};")
    for prototype, body in functions.items():
        lines += ["", prototype, "{", *body, "}"]
    source = [part for line in lines for part in textwrap.wrap(line, 120, subsequent_indent=" " * 8) or [""]]
    return {f"{FOLDER}/c_output.{end}": "\n".join(text) + "\n" for end, text in [("h", header), ("c", source)]}


def members(library, struct):
    lines = ["    json_t *object = json_object();"]
    for field in struct.fields:
        name, type = f"value->{snake(field.name)}", field.type
        is_present = f"value->present & {struct.bit(field)}" if library.has_bit(struct, field) else "true"
        if type.kind == "enum":
            names = f"{library.model.enumeration(struct.owner, field).c}_names"
            lines.append(f'    SET_NAME(object, "{field.name}", {names}, {name});')
        elif type.kind == "name":
            name = name if "*" in struct.declarations[snake(field.name)] else f"&{name}"
            lines.append(f"    if ({is_present})")
            lines.append(f'        json_object_set_new(object, "{field.name}", {snake(type.name)}_json({name}));')
        elif not type.element:
            # The age of now, where the library knows it.
            name = "locationd_age(value)" if (struct.name, field.name) == ("location", "age") else name
            setter = SETTERS[library.kind(struct, field)]
            lines.append(f'    set_{setter}(object, "{field.name}", {is_present}, {name});')
    return [*lines, "    return object;"]


def taken(library, struct):
    lines = []
    for field in library.rows(struct):
        kind, name = library.kind(struct, field), f"to->{snake(field.name)}"
        lines.append(f'    {"else " if lines else ""}if (!strcmp(key, "{field.name}"))')
        if kind == "ENUMERATION":
            names = f"{library.model.enumeration(struct.owner, field).c}_names"
            lines.append(f"        {name} = FIND_NAME({names}, json_string_value(value));")
        else:
            bit = f", to->present |= {struct.bit(field)}" if library.has_bit(struct, field) else ""
            lines.append(f"        {name} = json_{VALUES[kind]}(value){bit};")
    return [*lines, "    else", "        return false;", "    return true;"]
