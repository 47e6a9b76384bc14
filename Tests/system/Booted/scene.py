"""What all checks share: the machine, the package, and a client that watches from the first fix to the end."""

import json

from patience import Failure, until

SOCKETS = ("locationd.socket", "locationd-control.socket")
PUBLIC, CONTROL = "/run/locationd/locationd.sock", "/run/locationd/control.sock"
#: locctl's exit codes.
UNREACHABLE, UNAUTHORIZED = 3, 4


class Scene:
    """The machine and what the checks leave to those after them."""

    def __init__(self, machine, package, deadly):
        self.machine = machine
        self.package = package
        self.deadly = deadly
        self.sequence = 0

    def locctl(self, *words, user=None):
        return self.machine.run("locctl", *words, user=user)

    def status(self):
        return json.loads(self.locctl("status", "--json"))["status"]

    def daemon(self):
        """The process that is the service, once it is ready."""
        return until("the service is ready", lambda: self._ready() or None)

    def _ready(self):
        state, process = self.machine.shows("locationd.service", "ActiveState", "MainPID")
        return state == "active" and process

    def sees_fixes(self):
        """The watching client gets a further location, newer than any before."""
        self.watcher.forget()
        line = self.watcher.line("a location", lambda line: line.startswith("location "))
        sequence = int(line.split()[1])
        expect(sequence > self.sequence, f"the location {sequence} comes after {self.sequence}")
        self.sequence = sequence

    def log(self, since=None):
        """The daemon's journal records."""
        options = [f"--after-cursor={since}"] if since else []
        text = self.machine.run("journalctl", "--unit=locationd.service", "--output=json", *options)
        return [json.loads(line) for line in text.splitlines()]

    def cursor(self):
        return self.machine.run("journalctl", "--lines=0", "--show-cursor").split("cursor: ")[-1].strip()


def expect(truth, what):
    if not truth:
        raise Failure("does not hold: " + what)


def expect_code(result, code):
    expect(result.returncode == code,
           f"it ends with {code}; it was {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr
