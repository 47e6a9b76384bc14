"""The examples run against a real daemon on its simulator, which is restarted in the middle.

LOCATIOND_TEST_DAEMON is the daemon's program; without it nothing is tested. `O` is where the examples were built.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

DAEMON = os.environ.get("LOCATIOND_TEST_DAEMON")
EXAMPLES = pathlib.Path(os.environ.get("O", ".")) / "examples"
POSITION = re.compile(r"^-?\d+\.\d{6} -?\d+\.\d{6}")
#: Seconds; longer than anything takes on a busy machine.
PATIENCE = 60


def give_up(*_):
    raise TimeoutError(f"nothing has come for {PATIENCE} seconds")


class Daemon:
    def __init__(self, folder):
        self.folder = folder
        self.socket = f"{folder}/run/locationd.sock"
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [DAEMON, "--simulate", "--runtime-directory", f"{self.folder}/run", "--state-directory", f"{self.folder}/state",
             "--log-level", "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def wait_until_listening(self):
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(self.socket)
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError("the daemon has ended") from None


class Program:
    """A running example, read line by line."""

    def __init__(self, name, path, **more):
        self.process = subprocess.Popen([EXAMPLES / name], env=os.environ | {"LOCATIOND_SOCKET": path, "LC_ALL": "C.UTF-8"},
                                        stdout=subprocess.PIPE, text=True, **more)

    def expect(self, pattern):
        # By default the alarm would end the tests, and leave the daemon and its folder.
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)
        try:
            for line in self.process.stdout:
                if re.search(pattern, line):
                    return line
        finally:
            signal.alarm(0)
        raise AssertionError(f"the program has ended without {pattern}")

    def end(self):
        self.process.kill()
        self.process.communicate()


def run(name, path, output):
    # The standard input stays open: its end would be the end of `poll`.
    reader, writer = os.pipe()
    try:
        with open(output, "w", encoding="utf-8") as file:
            return subprocess.run([EXAMPLES / name], env=os.environ | {"LOCATIOND_SOCKET": path}, timeout=PATIENCE, check=False,
                                  stdin=reader, stdout=file, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(reader)
        os.close(writer)


class ExampleErrorTests(unittest.TestCase):
    """What needs no daemon."""

    def test_a_failed_open_is_explained(self):
        for name in ("position", "follow", "poll"):
            with self.subTest(name):
                result = run(name, "/tmp/" + "x" * 200, os.devnull)
                self.assertEqual((result.returncode, result.stderr), (1, "an argument is wrong\n"))

    def test_output_that_fails_is_the_end(self):
        # Both print that there is no daemon.
        for name in ("follow", "poll"):
            with self.subTest(name):
                self.assertEqual(run(name, "/nowhere", "/dev/full").returncode, 1)

    def test_a_program_that_says_nothing_is_given_up(self):
        self.addCleanup(lambda patience: globals().update(PATIENCE=patience), PATIENCE)
        globals()["PATIENCE"] = 1
        program = Program("follow", "/nowhere")
        self.addCleanup(program.end)
        with self.assertRaises(TimeoutError):
            program.expect("^what it never says")


@unittest.skipUnless(DAEMON, "LOCATIOND_TEST_DAEMON names no daemon")
class ExampleTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.mkdir(f"{folder.name}/state")
        self.daemon = Daemon(folder.name)
        self.daemon.start()
        self.addCleanup(lambda: self.daemon.stop())

    def test_position_is_printed(self):
        self.daemon.wait_until_listening()
        result = subprocess.run([EXAMPLES / "position"], env=os.environ | {"LOCATIOND_SOCKET": self.daemon.socket}, timeout=PATIENCE,
                                capture_output=True, text=True, check=True)
        self.assertRegex(result.stdout, POSITION)

    def test_position_says_what_to_do(self):
        result = subprocess.run([EXAMPLES / "position"], env=os.environ | {"LOCATIOND_SOCKET": "/nowhere"}, timeout=PATIENCE,
                                capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("there is no socket at /nowhere; start it", result.stderr)

    def test_position_that_cannot_be_printed_is_an_error(self):
        self.daemon.wait_until_listening()
        self.assertEqual(run("position", self.daemon.socket, "/dev/full").returncode, 1)

    def test_follow_goes_on_after_restart(self):
        program = Program("follow", self.daemon.socket)
        self.addCleanup(program.end)
        program.expect(POSITION.pattern + r" within \d+\.\d m, \d+\.\d s old$")
        self.daemon.stop()
        program.expect("^stopping$")
        program.expect("^locationd cannot be reached")
        self.daemon.start()
        program.expect(POSITION)
        program.process.send_signal(signal.SIGINT)
        self.assertEqual(program.process.wait(PATIENCE), 0)

    def test_poll_goes_on_after_restart_and_ends_with_a_key(self):
        program = Program("poll", self.daemon.socket, stdin=subprocess.PIPE)
        self.addCleanup(program.end)
        program.expect(POSITION)
        self.daemon.process.kill()
        self.daemon.process.wait(PATIENCE)
        program.expect("^not connected locationd closed the connection")
        self.daemon.start()
        program.expect("^connected")
        program.expect(POSITION)
        program.process.stdin.write("q\n")
        program.process.stdin.flush()
        self.assertEqual(program.process.wait(PATIENCE), 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
