"""The header and the tables of the sources against the interface: every field, value, option and error, so that an addition fails."""

import pathlib
import re
import unittest

from interface import Interface, enumeration, snake

FOLDER = pathlib.Path(__file__).resolve().parents[1]
HEADER = (FOLDER / "include/locationd.h").read_text()
SOURCES = "".join(source.read_text() for source in sorted((FOLDER / "src").glob("*.c")))
INTERFACE = Interface()

#: What is left to other programs: bridges, agents and administration.
TYPES_LEFT = {"ServedProgram", "Receiver", "MonitorInformation", "WaitingProgram", "PendingAuthorization", "Ceiling", "FirstUse",
              "Usage"}
METHODS_LEFT = {"ListReceivers", "ListMonitors", "WatchRequests", "WatchUsage", "Decide"}
ERRORS_LEFT = {"NotPermitted", "NoSuchRequest"}
#: The library sends `library` itself.
PARAMETERS_LEFT = {"onBehalfOf", "library"}
OPTIONS = {"GetLocation": "get_options", "Watch": "watch_options", "Monitor": "monitor_options", "ChangeRegions": "region_changes",
           "RequestAuthorization": "authorization_options"}
#: Types that are given to the library, where texts, arrays and pointers are absent as NULL.
GIVEN = {"region", "coordinate", "significant_change", *OPTIONS.values()}
#: Optional fields that are pointers or texts there.
POINTERS = {"polygon", "regions", "significant_change", "add", "remove", "purpose", "program", "name"}
BITS = {"get_options": "GET", "watch_options": "WATCH", "monitor_options": "MONITOR", "authorization_options": "AUTHORIZATION"}
ENUMERATIONS = {
    "accuracy_basis": "ACCURACY_BASIS", "mode": "MODE", "augmentation": "AUGMENTATION", "antenna": "ANTENNA", "implausible": "IMPLAUSIBLE",
    "basis": "BASIS", "method": "METHOD", "authorization": "AUTHORIZATION", "accuracy": "ACCURACY", "source": "SOURCE",
    "activity_type": "ACTIVITY_TYPE", "level": "LEVEL", "event": "REGION_EVENT",
}
C_TYPES = {"float": "double", "bool": "bool", "int": "int32_t|int64_t", "string": r"char|const char \*|int64_t"}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def members(struct):
    """The members of a struct with their C types."""
    body = re.search(rf"^struct locationd_{struct} {{(.*?)^}};", without_comments(HEADER), re.S | re.M)[1]
    found = re.findall(r"^\s*(.+?)(?<=[ *])(\w+)(?:\[\d+\])?;", body, re.M)
    return {name: kind.strip() for kind, name in found}


def enumeration_prefix(struct, field):
    if field == "state":
        return {"ranked_source": "SOURCE", "region_report": "REGION"}[struct]
    return ENUMERATIONS[field]


class InterfaceTests(unittest.TestCase):
    def check_fields(self, struct, fields):
        declared = members(struct)
        for name, kind in fields:
            field = snake(name)
            self.assertIn(field, declared, f"struct locationd_{struct}")
            plain = kind.removeprefix("?")
            bit = f"LOCATIOND_{BITS.get(struct, struct.upper())}_HAS_{field.upper()}"
            if names := enumeration(kind):
                self.check_enumeration(enumeration_prefix(struct, field), names)
                self.assertFalse(f"{bit} " in HEADER, bit)
            elif kind.startswith("?") and not (struct in GIVEN and field in POINTERS):
                self.assertHas(HEADER, f"#define {bit} (UINT64_C(1) << ")
                # In the tables the bit is written short.
                self.assertTrue(re.search(rf"\b(?:HAS\(|\w+_HAS_|, ){field.upper()}\b", SOURCES), bit)
            if plain in C_TYPES:
                self.assertRegex(declared[field], rf"^(?:{C_TYPES[plain]})", f"{struct}.{field}")
            self.assertHas(SOURCES, f'"{name}"')

    def assertHas(self, text, part):  # noqa: N802
        """As assertIn, without the whole text in the failure."""
        self.assertTrue(part in text, f"{part} is missing")

    def check_enumeration(self, prefix, names):
        for name in names:
            if (prefix, name) == ("REGION", "unknown"):
                continue
            constant = f"LOCATIOND_{prefix}_{snake(name).upper()}"
            self.assertTrue(re.search(rf"\b{constant}\b", HEADER), constant)
            self.assertHas(SOURCES, f'[{constant}] = "{name}"')
        self.assertHas(HEADER, f"LOCATIOND_{prefix}_UNKNOWN")

    def test_types_have_every_field(self):
        for name, fields in INTERFACE.types.items():
            if name not in TYPES_LEFT:
                with self.subTest(name):
                    self.check_fields(snake(name), fields)

    def test_methods_have_every_option(self):
        for name, (parameters, _) in INTERFACE.methods.items():
            if name in METHODS_LEFT:
                continue
            with self.subTest(name):
                self.assertHas(SOURCES.replace("org.locationd.location.", ""), f'"{name}"')
                options = [field for field in parameters if field[0] not in PARAMETERS_LEFT]
                if name in OPTIONS:
                    self.check_fields(OPTIONS[name], options)
                else:
                    self.assertIn([field for field, _ in options], ([], ["name"]))

    def test_updates_have_every_member_of_replies(self):
        update = members("update")
        for method in ("Watch", "Monitor"):
            for name, _ in INTERFACE.methods[method][1]:
                if name != "dropped":
                    self.assertIn(snake(name), update)
                    self.assertHas(HEADER, f"LOCATIOND_UPDATE_{snake(name).upper()}")

    def test_errors_have_codes(self):
        for name in INTERFACE.errors:
            if name not in ERRORS_LEFT:
                self.assertHas(SOURCES, f'{{"org.locationd.location.{name}", LOCATIOND_ERROR_{snake(name).upper()},')

    def test_what_is_left_is_there(self):
        self.assertLessEqual(TYPES_LEFT, INTERFACE.types.keys())
        self.assertLessEqual(METHODS_LEFT, INTERFACE.methods.keys())
        self.assertLessEqual(ERRORS_LEFT, INTERFACE.errors.keys())

    def test_tests_have_every_field(self):
        rows, options = ((FOLDER / "tests" / name).read_text() for name in ("value_rows.h", "test_options.c"))
        for name, fields in INTERFACE.types.items():
            for field, kind in fields if name not in TYPES_LEFT else ():
                if snake(name) in GIVEN:
                    self.assertRegex(options, rf'\\?"{field}\\?"')
                elif kind.removeprefix("?").removeprefix("[]") not in INTERFACE.types:
                    self.assertHas(rows, f'({snake(name)}, {snake(field)}, "{field}", ')
        for method in OPTIONS:
            for field, _ in INTERFACE.methods[method][0]:
                if field not in PARAMETERS_LEFT:
                    self.assertRegex(options, rf'\\?"{field}\\?"')

    def test_bits_are_distinct(self):
        bits = re.findall(r"#define LOCATIOND_(\w+?)_HAS_\w+ \(UINT64_C\(1\) << (\d+)\)", HEADER)
        self.assertEqual(len(bits), len(set(bits)))
        for group in {group for group, _ in bits}:
            self.assertEqual(sorted(int(bit) for name, bit in bits if name == group), list(range(sum(name == group for name, _ in bits))))

    def test_functions_are_exported_documented_and_have_pages(self):
        declared = set(re.findall(r"\b(locationd_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)))
        exported = set(re.findall(r"(locationd_\w+);", (FOLDER / "liblocationd.map").read_text()))
        self.assertEqual(declared, exported)
        aliases = dict(line.split() for line in (FOLDER / "man/aliases").read_text().splitlines())
        for function in declared:
            page = aliases.get(function, function)
            text = (FOLDER / f"man/{page}.3").read_text()
            self.assertHas(text, f".Nm {function}")
            self.assertHas(text, f".Fo {function}\n")

    def test_errors_are_described(self):
        codes = re.findall(r"(LOCATIOND_ERROR_\w+) = (-\d+)", HEADER)
        self.assertEqual([int(number) for _, number in codes], [-1 - index for index in range(len(codes))])
        for code, _ in codes:
            self.assertHas(SOURCES, f"case {code}: return")
            self.assertHas((FOLDER / "man/liblocationd.3").read_text(), f".It Dv {code}\n")


if __name__ == "__main__":
    unittest.main()
