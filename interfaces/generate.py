#!/usr/bin/env python3
"""Writes what the libraries and drivers have of the interfaces' descriptions: generate.py [--check]

With --check nothing is written: files that are not as they would be written are an error.
"""

import pathlib
import sys

import c_output
import c_values
import python_values
import swift_names
from model import Model
from varlink import Mistake, read_all

ROOT = pathlib.Path(__file__).resolve().parents[1]


def generated(descriptions, header):
    """The text of each file by its path in the tree. `header` is the C library's, as it is."""
    names = ["org.locationd.location", "org.locationd.history"]
    location = Model(descriptions[names[0]], "c")
    library = c_values.Library(location, header)
    return {
        **python_values.files(*(Model(descriptions[name], "python") for name in names)),
        **library.files(),
        **c_output.files(location, library),
        **swift_names.files(descriptions),
    }


def main():
    try:
        files = generated(read_all(), (ROOT / c_values.HEADER).read_text())
    except Mistake as mistake:
        sys.exit(str(mistake))
    differing = [name for name in files if not (ROOT / name).exists() or (ROOT / name).read_text() != files[name]]
    if "--check" in sys.argv[1:]:
        problem = "not as the interfaces' descriptions say; run `make generate` and commit the result"
        sys.exit(f"{', '.join(differing)}: {problem}" if differing else 0)
    for name in differing:
        (ROOT / name).write_text(files[name])
        print(name)


if __name__ == "__main__":
    main()
