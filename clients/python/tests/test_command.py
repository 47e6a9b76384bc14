"""`python -m locationd` in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
import unittest
from functools import partial
from pathlib import Path
from typing import Any

from .samples import location, status
from .scripted import PATIENCE, Peer, ScriptedDaemon

SOURCES = Path(__file__).parents[1] / "src"


class CommandTests(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = ScriptedDaemon()
        self.addCleanup(self.daemon.remove)
        self.environment = os.environ | {"PYTHONPATH": str(SOURCES), "LOCATIOND_SOCKET": self.daemon.path, "TZ": "UTC"}

    def run_command(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "locationd", *arguments], env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )

    def serve(self, *replies: dict[str, Any]) -> None:
        def script(peer: Peer) -> None:
            peer.call()
            for reply in replies[:-1]:
                peer.reply(**reply)
            peer.reply(last=True, **replies[-1])
            peer.until_closed()

        self.daemon.start(script)

    def test_watch_prints_lines(self) -> None:
        self.serve(
            {"status": status(reason="see \x1b[31m")},
            {"location": location(1, timestamp="2026-11-28T06:30:51.532Z", horizontalAccuracy=2)},
            {"status": status(reason="duration")},
        )
        result = self.run_command("watch", "--duration", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertNotIn("\x1b", result.stdout)
        self.assertTrue(lines[1].startswith("06:30:51  52.500000, 13.400000  ±2.0 m"), lines[1])

    def test_watch_prints_json_with_the_names_of_the_interface(self) -> None:
        self.serve({"status": status(fixAge=1)}, {"location": location(1, horizontalAccuracy=2)})
        result = self.run_command("watch", "--json", "--maximum-updates", "1")
        updates = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(updates[0], {"status": status(fixAge=1)})
        age = updates[1]["location"].pop("age")
        self.assertGreater(age, 0)
        expected = location(1, horizontalAccuracy=2)
        del expected["age"]
        self.assertEqual(updates[1]["location"], expected)

    def test_status_and_get(self) -> None:
        self.serve({"status": status()})
        self.assertIn("tracking", self.run_command("status").stdout)
        self.daemon.finish()
        self.serve({"location": location(3)})
        self.assertEqual(json.loads(self.run_command("get", "--json").stdout)["sequence"], 3)
        self.daemon.finish()

    def test_duration_ends_it_without_a_daemon(self) -> None:
        result = self.run_command("watch", "--duration", "0.1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("no socket", result.stdout)

    def test_numbers_that_are_not_usable_are_named(self) -> None:
        for arguments, sentence in (
            (("get", "--maximum-age", "nan"), "'nan' is not a finite number"),
            (("get", "--timeout", "soon"), "'soon' is not a finite number"),
            (("watch", "--duration", "0"), "'0' is not more than 0"),
        ):
            result = self.run_command(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(sentence, result.stderr)

    def test_closed_output_is_an_error(self) -> None:
        result = subprocess.run(
            ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "locationd", "status"],
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
        )
        self.assertEqual((result.returncode, result.stderr), (1, "the output cannot be written: standard output is closed\n"))

    def test_time_without_a_local_one_is_printed(self) -> None:
        self.environment["TZ"] = "America/New_York"
        self.serve({"location": location(1, timestamp="0001-01-01T00:00:00Z")})
        result = self.run_command("get")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("00:00:00Z  52.5"), result.stdout)

    def test_exit_codes(self) -> None:
        result = self.run_command("get")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("no socket", result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(self.run_command("dance").returncode, 2)
        self.assertEqual(self.run_command("get", "--timeout", "nan").returncode, 2)
        self.assertEqual(self.run_command("get", "--socket", "x" * 200).returncode, 2)
        for code, error in ((4, "Disabled"), (5, "TimedOut"), (1, "Later")):
            self.daemon.start(partial(self.refuse, error))
            self.assertEqual(self.run_command("get").returncode, code)
            self.daemon.finish()

    @staticmethod
    def refuse(error: str, peer: Peer) -> None:
        peer.call()
        peer.error("org.locationd.location." + error)

    def start_endless_watch(self) -> "subprocess.Popen[str]":
        """A watch whose first update has been printed."""

        def script(peer: Peer) -> None:
            peer.call()
            sequence = 0
            try:
                while True:
                    sequence += 1
                    peer.reply(location=location(sequence))
                    self.sent.wait(PATIENCE)
            except (BrokenPipeError, ConnectionResetError):
                pass

        self.sent = threading.Event()
        self.daemon.start(script)
        process = subprocess.Popen(
            [sys.executable, "-m", "locationd", "watch"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Where the tests run in the background it is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stdout is not None
        self.assertIn("52.5", process.stdout.readline())
        return process

    def test_interrupt_is_quiet(self) -> None:
        process = self.start_endless_watch()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.sent.set()
        self.daemon.finish()

    def test_full_disk_is_an_error(self) -> None:
        self.serve({"status": status()})
        with open("/dev/full", "w") as full:
            result = subprocess.run(
                [sys.executable, "-m", "locationd", "status"],
                env=self.environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=PATIENCE,
            )
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_closed_pipe_is_quiet(self) -> None:
        process = self.start_endless_watch()
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        self.sent.set()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()
        self.daemon.finish()
