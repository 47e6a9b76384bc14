"""The daemon under test and one watch on it, spoken in plain Varlink: JSON objects, each ended by NUL."""

import asyncio
import json
import os

from oracle import FIELDS, strict
from patience import last_words, launch, reach

CALL = {"method": "org.locationd.location.Watch", "parameters": {"everySource": True}, "more": True}


class Daemon:
    """One locationd process that asks the gpsd on `port`, in folders of its own."""

    def __init__(self, program, port, folder):
        self.program, self.port = program, port
        self.runtime, self.state = os.path.join(folder, "run"), os.path.join(folder, "state")
        self.log, self.socket = os.path.join(folder, "locationd.log"), os.path.join(self.runtime, "locationd.sock")
        self.control = os.path.join(self.runtime, "control.sock")
        self.process = None

    def start(self):
        os.mkdir(self.runtime)
        os.mkdir(self.state)
        self.process = launch(
            [self.program, "--gpsd", "127.0.0.1:%d" % self.port, "--runtime-directory", self.runtime,
             "--state-directory", self.state, "--log-level", "warning"], self.log)

    def end(self):
        """How the daemon ended, in words, or `None` while it runs."""
        status = self.process.poll()
        return None if status is None else "the daemon ended with %d: %s" % (status, last_words(self.log))


class Watch:
    """Everything a watch was told. What the interface forbids becomes `failure`, the first such thing only."""

    def __init__(self):
        #: The locations in the order of arrival, as dictionaries of `FIELDS`.
        self.received = []
        #: For each of them, whether the daemon believes it; one that it holds back only a watch of every source is told.
        self.believed = []
        #: For each of them, its `accuracyBasis`.
        self.bases = []
        self.replies = 0
        self.failure = None
        self._sequence = None

    async def listen(self, daemon):
        """Watches the daemon until it closes the watch."""
        try:
            reader, writer = await reach(daemon.socket, daemon.process)
            try:
                writer.write(json.dumps(CALL).encode() + b"\0")
                while True:
                    self.take(strict((await reader.readuntil(b"\0"))[:-1]))
            finally:
                writer.close()
        except asyncio.IncompleteReadError:
            self._fail("the daemon closed the watch")
        except Exception as error:  # whatever it is, it is not what the interface says
            self._fail("the watch ended: %s %s" % (type(error).__name__, error))

    def take(self, reply):
        """Takes one reply."""
        self.replies += 1
        if reply.get("error"):
            return self._fail("the watch was refused: %s" % json.dumps(reply))
        parameters = {key: value for key, value in reply.get("parameters", {}).items() if value is not None}
        if not reply.get("continues"):
            self._fail("reply %d does not say that more follow" % self.replies)
        if "dropped" in parameters:
            self._fail("reply %d says dropped: %s" % (self.replies, parameters["dropped"]))
        kinds = sorted(parameters.keys() & {"status", "location", "heading", "satellites"})
        if kinds not in ([["status"], ["location", "status"]] if self.replies == 1 else [["status"], ["location"]]):
            self._fail("reply %d carries %s" % (self.replies, " and ".join(kinds) or "nothing"))
        if "location" in parameters:
            self._locate(parameters["location"])

    def _locate(self, location):
        source, sequence = location.get("source", {}), location.get("sequence")
        self.received.append({**{field: location.get(field) for field in FIELDS}, "device": source.get("device")})
        self.bases.append(location.get("accuracyBasis"))
        self.believed.append(location.get("implausible") is None)
        number = "location %d " % len(self.received)
        if not isinstance(sequence, int) or self._sequence is not None and sequence != self._sequence + 1:
            self._fail(number + "has the sequence %s after %s" % (sequence, self._sequence))
        if source.get("isReplayed") is not False or (
                source.get("isSimulated") is not False and location.get("augmentation") != "simulated"):
            self._fail(number + "comes from gpsd and is marked otherwise: %s" % json.dumps(source))
        if not 0 <= location.get("age", -1) < 5 or location.get("monotonicTime", 0) <= 0:
            self._fail(number + "has the age %s at %s" % (location.get("age"), location.get("monotonicTime")))
        self._sequence = sequence

    def _fail(self, words):
        self.failure = self.failure or words
