"""Whatever ends a scenario, or the judge itself: it is said, and no process or directory is left behind."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from conform import Programs, run_scenario  # noqa: E402

#: Seconds; only a test that fails takes as long.
PATIENCE = 60.0
#: Seconds until a scenario that cannot go on is over: what a busy machine needs to come as far as that.
UNTIL_OVER = 8
HANGS = "exec sleep 300"


class Place:
    """A directory with programs that note their process in a file."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.directory, self._noted = directory, directory / "processes"

    def program(self, name: str, body: str) -> Path:
        path = self.directory / name
        path.write_text(f"#!/bin/sh\necho $$ >>{shlex.quote(str(self._noted))}\n{body}\n")
        path.chmod(0o755)
        return path

    def processes(self) -> list[int]:
        return list(map(int, self._noted.read_text().split())) if self._noted.exists() else []

    def running(self) -> list[int]:
        return [process for process in self.processes() if Path(f"/proc/{process}").exists()]

    def kill_what_is_left(self) -> None:
        for process in self.running():
            os.kill(process, signal.SIGKILL)


class EndTests(unittest.TestCase):
    """A daemon that does not answer, a step that cannot be done, and SIGTERM."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def place(self, name: str) -> Place:
        place = Place(self.directory / name)
        self.addCleanup(place.kill_what_is_left)
        return place

    def test_what_ends_a_scenario_with_the_real_daemon_is_its_fault(self) -> None:
        once = "[ ! -e run-before ] && touch run-before"
        cases: dict[str, tuple[str, list[dict[str, Any]], str]] = {
            "never reached": ("exit 3", [], "did not answer in time"),
            "locctl hangs": (HANGS, [], "did not answer in time"),
            "a step hangs": (f'[ "$1" = status ] || {HANGS}', [{"locctl": ["authorize", "uid:1"]}], "were not reached in time"),
            "not reached again": (f"{once} || exit 3", [{"stop": True}, {"start": True}], "were not reached in time"),
            "no such step": ("exit 0", [{"dance": True}], "no step"),
        }
        places = {name: self.place(name) for name in cases}

        def run(name: str) -> list[str]:
            (locctl, steps, _), place = cases[name], places[name]
            programs = Programs(place.program("daemon", HANGS), place.program("locctl", locctl))
            scenario = {
                "name": name, "daemon": "real", "seconds": UNTIL_OVER, "call": {"call": "watch"}, "script": {"timeline": steps},
                "expect": {"events": []},
            }
            return run_scenario(scenario, "reference", shlex.quote(str(place.program("driver", HANGS))), programs).failures

        with ThreadPoolExecutor(len(cases)) as pool:
            runs = {name: pool.submit(run, name) for name in cases}
        for name, (_, steps, says) in cases.items():
            with self.subTest(name):
                self.assertIn(says, " ".join(runs[name].result()))
                # Daemon and locctl; where steps take their time, the driver too.
                self.assertGreaterEqual(len(places[name].processes()), 3 if steps and name != "no such step" else 2)
                self.assertEqual(places[name].running(), [])

    def terminate(self, place: Place, wanted: int, *arguments: str) -> None:
        """Terminates a judge once so many processes run; more scenarios wait for their turn."""
        temporary = place.directory / "temporary"
        temporary.mkdir()
        driver = place.program("driver", f"exec {shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'reference_driver.py'))}")
        judge = subprocess.Popen(
            [sys.executable, str(HERE.parent / "conform.py"), "--parallel", "2", "--driver", f"reference={driver}", *arguments],
            env={**os.environ, "TMPDIR": str(temporary)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            end = time.monotonic() + PATIENCE
            while len(place.running()) < wanted and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual((len(place.running()), len(list(temporary.iterdir()))), (wanted, 2))
            judge.terminate()
            _, said = judge.communicate(timeout=PATIENCE)
        finally:
            judge.kill()
            judge.communicate()
        self.assertEqual(place.running(), [])
        self.assertEqual(list(temporary.iterdir()), [])
        self.assertEqual((judge.returncode, said), (128 + signal.SIGTERM, b""))

    def test_termination_ends_drivers(self) -> None:
        names = ("silent", "silent-later", "long-outage", "status-silent")
        self.terminate(self.place("scripted"), 2, *(word for name in names for word in ("--only", name)))

    def test_termination_ends_daemons_and_locctl(self) -> None:
        place = self.place("real")
        self.terminate(
            place, 4, "--only", "real-get", "--only", "real-stream", "--only", "real-end",
            "--daemon", str(place.program("daemon", HANGS)), "--locctl", str(place.program("locctl", HANGS)))


if __name__ == "__main__":
    unittest.main()
