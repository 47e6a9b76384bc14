"""The watches of a soak that stay, and a record of what they have to receive."""

import collections
import json
import select
import threading
import time

from library.client import Client

# A fix that was not delivered after so many seconds is lost.
DELIVERY_TIMEOUT = 15
# A fix may be in transit for so long before a fault begins, seconds.
IN_TRANSIT = 1


class DeliveryRecord:
    """The fixes that gpsd has sent to the daemon, by their time, and how many watches have received each."""

    def __init__(self, watches):
        self.watches = watches
        self.lock = threading.Lock()
        # For each fix that is not settled: when it was sent, and how many watches have it.
        self.pending = collections.OrderedDict()
        self.excuses = []
        self.sent = self.complete = self.excused = 0
        self.lost = []
        # Fixes received that gpsd has not sent.
        self.unknown = 0

    def record_line(self, line):
        """Records a line of gpsd's that the daemon is about to get."""
        if not line.startswith(b'{"class":"TPV"'):
            return
        report = json.loads(line)
        if report["mode"] >= 2 and "lat" in report and "time" in report:
            with self.lock:
                if report["time"] not in self.pending:
                    self.sent += 1
                    self.pending[report["time"]] = [time.monotonic(), 0]

    def record_delivery(self, timestamp):
        """One more watch has received the fix of this time."""
        with self.lock:
            if timestamp in self.pending:
                self.pending[timestamp][1] += 1
            else:
                self.unknown += 1

    def excuse(self, start, end):
        """Fixes that were sent meanwhile need not arrive."""
        self.excuses.append((start - IN_TRANSIT, end))

    def settle(self, before):
        """Decides what has become of the fixes that were sent before that moment."""
        with self.lock:
            while self.pending and (first := next(iter(self.pending.items())))[1][0] < before:
                timestamp, (moment, count) = first
                del self.pending[timestamp]
                if count == self.watches:
                    self.complete += 1
                elif any(start <= moment <= end for start, end in self.excuses):
                    self.excused += 1
                else:
                    self.lost.append(f"{timestamp}: {count} of {self.watches}")


class Watch(Client):
    """A client that has to receive everything."""

    timestamp = ""
    sequence = None
    # Locations reported as dropped since the last location.
    gap = 0


class Watches:
    """All of the watches that stay, read by the caller."""

    def __init__(self, path, count):
        self.record = DeliveryRecord(count)
        self.poll = select.epoll()
        self.watches = {}
        for _ in range(count):
            watch = Watch(path).watch()
            watch.socket.setblocking(False)
            self.poll.register(watch.socket, select.EPOLLIN)
            self.watches[watch.socket.fileno()] = watch
        self.received = self.dropped = 0
        self.failures = []
        # When the last location arrived, CLOCK_MONOTONIC.
        self.latest = 0

    def read(self, seconds):
        """Reads what arrives for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for descriptor, _ in self.poll.poll(left):
                watch = self.watches[descriptor]
                try:
                    for message in watch.receive():
                        self.check(watch, json.loads(message[:-1]))
                except (EOFError, OSError) as error:
                    self.failures.append(f"a watch was ended: {error}")
                    self.poll.unregister(descriptor)

    def check(self, watch, message):
        """Checks one message of a watch and records its location."""
        reply = message.get("parameters", {})
        watch.gap += reply.get("dropped", 0)
        self.dropped += reply.get("dropped", 0)
        if "error" in message:
            self.failures.append(f"a watch received {message}")
        if "location" not in reply:
            return
        location = reply["location"]
        self.received += 1
        self.latest = time.monotonic()
        if watch.sequence is not None and location["sequence"] - watch.sequence - 1 != watch.gap:
            self.failures.append(
                f"fix {watch.sequence} was followed by {location['sequence']}, with {watch.gap} reported as dropped")
        watch.sequence, watch.gap = location["sequence"], 0
        # gpsd reports an epoch again when it knows more about it.
        timestamp = location["timestamp"]
        if timestamp < watch.timestamp:
            self.failures.append(f"the fix of {watch.timestamp} was followed by that of {timestamp}")
        if timestamp > watch.timestamp:
            self.record.record_delivery(timestamp)
        watch.timestamp = timestamp
