"""The tests of numbers, watches and calls pass in locales whose decimal point is not a dot, or has two bytes."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(os.environ["O"]) / "tests"

if not shutil.which("localedef") or not pathlib.Path("/usr/share/i18n/locales/ps_AF").exists():
    print("locale: skipped, for want of Debian's package `locales`")
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    for name in ("de_DE", "ps_AF"):
        # It warns of what the definition lacks, and makes it.
        subprocess.run(["localedef", "--force", "-i", name, "-f", "UTF-8", f"{folder}/{name}.UTF-8"], check=False, capture_output=True)
        for test in ("test_parts", "test_handle", "test_replies", "test_calls", "test_values", "test_options"):
            environment = os.environ | {"LOCPATH": folder, "TEST_LOCALE": f"{name}.UTF-8"}
            subprocess.run([TESTS / test], check=True, env=environment, stdout=subprocess.DEVNULL)
print("locale: passed")
