"""What is generated from descriptions that have changed, and what is refused."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "interfaces"))

import c_values  # noqa: E402
import python_values  # noqa: E402
from generate import generated  # noqa: E402
from model import Model  # noqa: E402
from varlink import FOLDER, Description, Mistake, read_all  # noqa: E402

LOCATION = "org.locationd.location"
FILE = f"{LOCATION}.varlink"
TEXT = (FOLDER / FILE).read_text()
HEADER = (ROOT / c_values.HEADER).read_text()
TYPES, READING, ENUMS = (f"clients/python/src/locationd/{name}.py" for name in ("types", "reading", "enums"))
TABLES, OUTPUT = "clients/c/src/tables.c", "clients/conformance/drivers/c_output.c"
NAMES = "LocationKit/Sources/LocationInterface/InterfaceNames.swift"
BIT = re.compile(r"#define LOCATIOND_LOCATION_HAS_(\w+) \(UINT64_C\(1\) << (\d+)\)")


def files_of(text, header=HEADER):
    return generated(read_all() | {LOCATION: Description(text, FILE)}, header)


def replaced(*pairs):
    """The description with each first text of the pairs replaced by the second."""
    text = TEXT
    for before, after in pairs:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def with_field(declaration):
    """The description with another field within `Location`."""
    return replaced(
        ("# - `jamming`: ", "# - `extra`: A number, 5 to below 10.\n# - `jamming`: "),
        ("  jamming: ?int,\n", f"  {declaration},\n  jamming: ?int,\n"),
    )


class ChangeTests(unittest.TestCase):
    def test_unchanged_descriptions_give_the_files_that_are_there(self):
        for name, text in generated(read_all(), HEADER).items():
            self.assertTrue(text == (ROOT / name).read_text(), f"{name}: run `make generate`")

    def test_new_field_is_in_every_language(self):
        files = files_of(with_field("extra: ?int"))
        self.assertIn('    extra: int | None = None\n    """A number, 5 to below 10."""\n', files[TYPES])
        self.assertIn('extra=fields.integer_or_none("extra", 5, below=10),', files[READING])
        row = 'ROW(location, extra, "extra", FIELD_INT32), .bit = LOCATIOND_LOCATION_HAS_EXTRA, BELOW(5, 10)'
        self.assertIn(row, files[TABLES])
        self.assertIn('"extra", value->present & LOCATIOND_LOCATION_HAS_EXTRA, value->extra', files[OUTPUT])

    def test_new_field_comes_last_in_the_struct_and_has_the_next_bit(self):
        header = files_of(with_field("extra: ?int"))[c_values.HEADER]
        self.assertRegex(header, r"error_ellipse;\n    int32_t extra; +/\*\*< A number, 5 to below 10. \*/\n};")
        before = BIT.findall(HEADER)
        self.assertEqual(BIT.findall(header), [*before, ("EXTRA", str(len(before)))])

    def test_new_header_gives_the_same_files_again(self):
        text = with_field("extra: ?string")
        files = files_of(text)
        self.assertEqual(files, files_of(text, files[c_values.HEADER]))

    def test_new_value_of_an_enumeration_has_the_next_number(self):
        pairs = ("antenna: ?(ok,", "antenna: ?(wet, ok,"), ("antenna is `ok`", "antenna is `wet` (it rains), `ok`")
        files = files_of(replaced(*pairs))
        self.assertIn('    WET = "wet"\n    """It rains."""\n', files[ENUMS])
        self.assertRegex(files[c_values.HEADER], r"_SHORT, .*\n    LOCATIOND_ANTENNA_WET +/\*\*< It rains. \*/\n};")

    def test_new_option_of_a_watch_is_sent(self):
        files = files_of(replaced(
            ("# - `maximumUpdates`: ", "# - `note`: A text.\n# - `maximumUpdates`: "),
            ("  maximumUpdates: ?int,", "  note: ?string,\n  maximumUpdates: ?int,"),
        ))
        self.assertIn('ROW(watch_options, note, "note", FIELD_TEXT)', files[TABLES])
        self.assertIn("const char *note;", files[c_values.HEADER])

    def test_new_method_and_error_have_names_in_swift(self):
        files = files_of(TEXT + "\n# Tells the weather.\nmethod GetWeather() -> ()\n\n# It rains.\nerror Raining ()\n")
        self.assertIn('static let getWeather = "org.locationd.location.GetWeather"', files[NAMES])
        self.assertIn('static let raining = "org.locationd.location.Raining"', files[NAMES])

    def test_changed_comment_changes_the_documentation(self):
        files = files_of(replaced(("# - `hdop`: Horizontal dilution", "# - `hdop`: Sideways dilution")))
        self.assertIn('"""Sideways dilution of precision."""', files[TYPES])
        self.assertIn("/**< Sideways dilution of precision, not negative. */", files[c_values.HEADER])


SMALL = """interface org.example.small

# A value.
#
# - `counts`: Numbers by name.
# - `rows`: Rows of numbers.
# - `colors`: Each `red` or `green`.
# - `color`: `red` or `green`.
# - `parts`: By name.
type Value (
  counts: [string]int,
  rows: ?[][]float,
  colors: ?[](red, green),
  color: ?(red, green),
  parts: ?[string]Part
)

# A part.
#
# - `begin`: When it began.
type Part (begin: string)

# Gets it.
#
# - `value`: The value.
method GetValue() -> (value: Value)
"""
READ = """
from locationd.reading import read_value
from locationd.wire import Fields, Unreadable
value = read_value(Fields({"counts": {"a": 1, "b": 2}, "rows": [[1, 2.5], []], "colors": ["red", "blue"],
                           "parts": {"x": {"begin": "2026-11-29T00:00:00Z"}}}, "value"))
assert value.counts == {"a": 1, "b": 2}, value
assert value.rows == ((1.0, 2.5), ()), value
assert [color and color.value for color in value.colors] == ["red", None], value
assert value.color is None and value.parts["x"].begin.year == 2026, value
for wrong in ({}, {"counts": {"a": 1.5}}, {"counts": {"a": None}}, {"counts": [1]}, {"counts": {}, "rows": [1]},
              {"counts": {}, "rows": {}}):
    try:
        read_value(Fields(wrong, "value"))
    except Unreadable:
        continue
    raise AssertionError(wrong)
"""


class FormTests(unittest.TestCase):
    """Dictionaries, arrays in arrays, and enumerations that may be absent or are in arrays."""

    model = Model(Description(SMALL, "small.varlink"), "python")

    def test_annotations(self):
        text = "\n".join(python_values.Types(self.model).lines())
        for line in (
            "counts: Mapping[str, int]",
            "rows: tuple[tuple[float, ...], ...] | None = None",
            "colors: tuple[Colors | None, ...] | None = None",
            "color: Color | None = None",
            "parts: Mapping[str, Part] | None = None",
            "begin: datetime",
        ):
            self.assertIn(f"    {line}\n", text)

    def test_values_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "locationd")
            package.mkdir()
            (package / "__init__.py").write_text("")
            shutil.copy(ROOT / "clients/python/src/locationd/wire.py", package)
            (package / "enums.py").write_text(python_values.enumerations(self.model))
            for name, part in (("types", python_values.Types), ("reading", python_values.Readers)):
                text = python_values.module(self.model, "Values.", part(self.model).lines())
                (package / f"{name}.py").write_text(text)
            subprocess.run([sys.executable, "-c", READ], cwd=folder, check=True)


class RefusalTests(unittest.TestCase):
    def assert_refused(self, pattern, text, file=FILE):
        with self.assertRaisesRegex(Mistake, pattern):
            files_of(text) if file == FILE else Description(text, file)

    def test_types_that_cannot_be_expressed_are_named_with_their_lines(self):
        line = TEXT[: TEXT.index("  jamming: ?int,")].count("\n") + 2
        for type, problem in [
            ("object", "is an `object`, which cannot"),
            ("?[]?int", r"is \?\[\]\?int, whose elements may be absent"),
            ("Nothing", "has the type Nothing, which is not defined"),
        ]:
            place = f"{re.escape(FILE)}:{line}: `extra` of Location"
            self.assert_refused(f"^{place} {problem}", with_field(f"extra: {type}"))

    def test_misspelled_descriptions_are_named_with_their_lines(self):
        for text, problem in [
            ("typ T ()", "typ is not expected"),
            ("type T (a int)", "int stands where : is expected"),
            ("type T (a: ??int)", "two question marks"),
            ("type T (a: int;)", "';' is not expected"),
            ("type T (a: [int]int)", "int stands where ] or string"),
            ("type T (a: (b: int))", "a struct without a name"),
        ]:
            self.assert_refused(f"^x:2: {re.escape(problem)}", f"interface a.b\n{text}\n", "x")

    def test_line_that_does_not_name_every_value_is_refused(self):
        text = SMALL.replace("# - `color`: `red` or `green`.", "# - `color`: `red`.")
        self.assert_refused("the line of `color` does not name green", text, "x")

    def test_changed_type_of_a_member_of_the_header_is_refused(self):
        self.assert_refused("declares `double hdop`, which is for good", replaced(("  hdop: ?float,", "  hdop: ?int,")))

    def test_removed_value_of_the_header_is_refused(self):
        text = replaced(("antenna: ?(ok, open, short)", "antenna: ?(ok, open)"))
        self.assert_refused("LOCATIOND_ANTENNA_SHORT is not in", text)

    def test_dictionary_in_a_struct_of_the_header_is_a_decision(self):
        self.assert_refused(r"\[string\]int, for which C has several forms", with_field("extra: ?[string]int"))

    def test_type_that_the_header_lacks_is_a_decision(self):
        text = with_field("extra: ?Extra") + "\n# Extra.\ntype Extra (number: int)\n"
        self.assert_refused("has no struct locationd_extra", text)


class CheckTests(unittest.TestCase):
    def test_check_fails_where_a_committed_file_differs_and_says_what_to_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("interfaces", "LocationKit/Sources/LocationInterface", "clients"):
                shutil.copytree(ROOT / name, pathlib.Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
            command = [sys.executable, "-B", f"{folder}/interfaces/generate.py"]
            self.assertEqual(subprocess.run([*command, "--check"]).returncode, 0)
            pathlib.Path(folder, TYPES).write_text("")
            result = subprocess.run([*command, "--check"], capture_output=True, text=True)
            problem = f"{TYPES}: not as the interfaces' descriptions say; run `make generate` and commit the result\n"
            self.assertEqual((result.returncode, result.stderr), (1, problem))
            subprocess.run(command, check=True, capture_output=True)
            self.assertEqual(pathlib.Path(folder, TYPES).read_text(), (ROOT / TYPES).read_text())


if __name__ == "__main__":
    unittest.main()
