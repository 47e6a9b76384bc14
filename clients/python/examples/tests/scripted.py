"""What the tests of the examples share: updates by few words, and a daemon that says what it is told."""

import dataclasses
import json
import os
import pathlib
import socket
import sys
import tempfile
import threading
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(EXAMPLES))

import locationd  # noqa: E402

SOURCE = {"name": "gpsd", "device": None, "method": "gnss", "is_simulated": False, "is_replayed": False}


def made(kind, **values):
    """An object of the package, with None for what is not named."""
    return kind(**{field.name: values.get(field.name) for field in dataclasses.fields(kind)})


def location(**values):
    values = {"latitude": 52.517, "longitude": 13.3889, "mode": "threeDimensional", "monotonic_time": boot_time(), "sequence": 1,
              "source": made(locationd.Source, **SOURCE)} | values
    return made(locationd.Location, **values)


def status(source, reason=None):
    return made(locationd.Status, authorization="authorizedAlways", accuracy="full", enabled=True, source=source, reason=reason,
                authorization_pending=False, connected=True)


def boot_time():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def wire_status(source, **more):
    return {"status": {"authorization": "authorizedAlways", "accuracy": "full", "enabled": True, "source": source,
                       "authorizationPending": False} | more}


def wire_location(sequence, **more):
    return {"location": {"latitude": 52.517, "longitude": 13.3889, "mode": "threeDimensional", "age": 0.0, "sequence": sequence,
                         "monotonicTime": boot_time(), "source": {"name": "gpsd", "isSimulated": False, "isReplayed": False}} | more}


class Daemon:
    """Listens at `path`. The first call of each connection is answered by what `say` is given, now and later."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "locationd.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.connection, self.called = None, threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        try:
            self.connection, _ = self.listener.accept()
            text = b""
            while not text.endswith(b"\0"):
                text += self.connection.recv(65536)
            self.call = json.loads(text[:-1])
        except OSError:
            return
        self.called.set()

    def say(self, *replies, last=False):
        """Sends replies to the watch; `last` ends it."""
        assert self.called.wait(30), "the program has called"
        for number, reply in enumerate(replies, 1):
            message = {"parameters": reply} | ({} if last and number == len(replies) else {"continues": True})
            self.connection.sendall(json.dumps(message).encode() + b"\0")

    def __exit__(self, *_):
        self.listener.close()
        if self.connection:
            self.connection.close()
        self.folder.cleanup()
