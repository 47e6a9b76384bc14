"""The floor as a server to measure, and the message it sends."""

import re

from library import harness as stage
from library.client import Client


class Floor(stage.Child):
    """floor.c, to be awaited by `expect("ready")` once its readers have connected."""

    def __init__(self, program, path, watches, message, moments):
        super().__init__(program, path, watches, message, moments.path, wait=False)
        self.pid, self.path = self.process.pid, path

    def run(self, rate, count):
        """Sends so many messages to each, `rate` a second (0: back to back)."""
        self.tell(f"{rate} {count}")
        self.expect("done")


class Pair:
    """The floor and the service, each with the same number of equal readers."""

    def __init__(self, programs, directory, daemon, watches, moments):
        path = str(directory / f"floor-{watches}.sock")
        self.floor = Floor(programs["floor"], path, watches, directory / "message", moments["floor"])
        stage.wait_for(path)
        self.readers = {
            "floor": stage.Readers(programs["readers"], path, watches, moments=moments["floor"], by_sequence=True),
            "locationd": stage.Readers(
                programs["readers"], daemon.path, watches, directory / "request", moments=moments["locationd"]),
        }
        self.floor.expect("ready")
        self.readers["locationd"].answered(watches)

    def end(self):
        for readers in self.readers.values():
            readers.end()
        self.floor.end()


def sample(path, stream):
    """One location reply of the service, of median length of fifty, its sequence number widened to eight digits at the
    expense of the time's last ones."""
    client = Client(path).watch()
    stream(100, 50)
    replies = sorted((m for m in client.messages(1) if b'"location":{' in m and b'"status":' not in m), key=len)
    client.close()
    reply = replies[len(replies) // 2]
    number = re.search(rb'"sequence":(\d+)', reply)[1]
    widened = reply.replace(b'"sequence":' + number, b'"sequence":' + number.zfill(8))
    excess = len(widened) - len(reply)
    return re.sub(rb'("monotonicTime":[\d.]+?)\d{%d}([,}])' % excess, rb"\1\2", widened)
