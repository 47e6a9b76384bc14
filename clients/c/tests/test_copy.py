"""This directory outside of the tree: the library has the version that is given, and none is an error."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[1]


class CopyTests(unittest.TestCase):
    def make(self, *arguments):
        # Not what the make that runs the tests was given.
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "VERSION", "O")}
        return subprocess.run(["make", *arguments], cwd=self.copy, env=environment, capture_output=True, text=True, check=False)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = shutil.copytree(SOURCES, f"{folder.name}/one/two", ignore=shutil.ignore_patterns("tests"))

    def test_without_a_version_nothing_is_made(self):
        result = self.make("all")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("give it, as in `make O=build VERSION=0.1.0`", result.stderr)
        self.assertEqual(os.listdir(f"{self.copy}/.."), ["two"])

    def test_the_version_that_is_given_is_the_librarys(self):
        result = self.make("O=build", "VERSION=1.2.3", "build/liblocationd.so.0.1.2.3", "build/liblocationd.pc")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Version: 1.2.3\n", pathlib.Path(self.copy, "build/liblocationd.pc").read_text())
        self.assertIn(b"liblocationd 1.2.3\0", pathlib.Path(self.copy, "build/liblocationd.so.0.1.2.3").read_bytes())


if __name__ == "__main__":
    sys.exit(unittest.main())
