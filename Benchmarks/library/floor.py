"""The floor: a server that does the least a fan-out can, to compare the service with."""

import re

from library.client import Client
from library.harness import ChildProgram, wait_for_file
from library.readers import Readers


class Floor(ChildProgram):
    """The program floor.c. It is ready, which the caller awaits by `expect`, once all its readers have connected."""

    def __init__(self, program, path, clients, message, moments):
        super().__init__(program, path, clients, message, moments.path, wait=False)
        self.pid, self.path = self.process.pid, path
        wait_for_file(path)

    def run(self, rate, count):
        """Sends so many messages to each client, `rate` a second (0: back to back)."""
        self.send(f"{rate} {count}")
        self.expect("done")


class FloorAndService:
    """The floor and the service, each with the same number of equal readers."""

    def __init__(self, programs, directory, daemon, clients, moments):
        self.floor = Floor(
            programs["floor"], str(directory / f"floor-{clients}.sock"), clients, directory / "message",
            moments["floor"])
        self.readers = {
            "floor": Readers(
                programs["readers"], self.floor.path, clients, moments=moments["floor"], by_sequence=True),
            "locationd": Readers(
                programs["readers"], daemon.path, clients, directory / "request", moments=moments["locationd"]),
        }
        self.floor.expect("ready")
        self.readers["locationd"].wait_until_answered(clients)

    def stop(self):
        for readers in self.readers.values():
            readers.stop()
        self.floor.stop()


def sample_message(path, stream):
    """A location reply of the service for the floor to send: of median length of fifty, with its sequence number
    widened to eight digits at the expense of the last digits of its time."""
    with Client(path).watch() as client:
        stream(100, 50)
        replies = sorted((m for m in client.messages(1) if b'"location":{' in m and b'"status":' not in m), key=len)
    reply = replies[len(replies) // 2]
    number = re.search(rb'"sequence":(\d+)', reply)[1]
    widened = reply.replace(b'"sequence":' + number, b'"sequence":' + number.zfill(8))
    excess = len(widened) - len(reply)
    return re.sub(rb'("monotonicTime":[\d.]+?)\d{%d}([,}])' % excess, rb"\1\2", widened)
