"""The watches of a soak that stay, and the books on what they have to get."""

import collections
import json
import select
import threading
import time

from library.client import Client

# What was not delivered after so many seconds is lost.
PATIENCE = 15
# A fix may be under way for so long before a fault hits it, seconds.
UNDER_WAY = 1


class Books:
    """Which fixes gpsd has told the daemon, by their time, and how many watches have each."""

    def __init__(self, watches):
        self.watches = watches
        self.lock = threading.Lock()
        self.open = collections.OrderedDict()
        self.excuses = []
        self.told = self.complete = self.excused = 0
        self.lost = []
        self.invented = 0

    def heard(self, line):
        """Takes a line of gpsd's that is on its way to the daemon."""
        if not line.startswith(b'{"class":"TPV"'):
            return
        report = json.loads(line)
        if report["mode"] >= 2 and "lat" in report and "time" in report:
            with self.lock:
                if report["time"] not in self.open:
                    self.told += 1
                    self.open[report["time"]] = [time.monotonic(), 0]

    def got(self, stamp):
        """One more watch has the fix of this time."""
        with self.lock:
            if stamp in self.open:
                self.open[stamp][1] += 1
            else:
                self.invented += 1

    def excuse(self, began, ended):
        """What was told the daemon meanwhile need not arrive."""
        self.excuses.append((began - UNDER_WAY, ended))

    def settle(self, before):
        """Closes the books on what was told before that moment."""
        with self.lock:
            while self.open and (first := next(iter(self.open.items())))[1][0] < before:
                stamp, (moment, count) = first
                del self.open[stamp]
                if count == self.watches:
                    self.complete += 1
                elif any(began <= moment <= ended for began, ended in self.excuses):
                    self.excused += 1
                else:
                    self.lost.append(f"{stamp}: {count} of {self.watches}")


class Watch(Client):
    """A client that is to get everything."""

    stamp = ""
    sequence = None
    # Of the location that comes next, as it was told.
    gap = 0


class Watches:
    """All of them, read by whoever calls."""

    def __init__(self, path, count):
        self.books = Books(count)
        self.poll = select.epoll()
        self.watches = {}
        for _ in range(count):
            watch = Watch(path).watch()
            watch.socket.setblocking(False)
            self.poll.register(watch.socket, select.EPOLLIN)
            self.watches[watch.socket.fileno()] = watch
        self.received = self.dropped = 0
        self.broken = []
        # When the last location came, CLOCK_MONOTONIC.
        self.latest = 0

    def read(self, seconds):
        """Reads what comes for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for descriptor, _ in self.poll.poll(left):
                watch = self.watches[descriptor]
                try:
                    for message in watch.received():
                        self.heed(watch, json.loads(message[:-1]))
                except (EOFError, OSError) as error:
                    self.broken.append(f"a watch was ended: {error}")
                    self.poll.unregister(descriptor)

    def heed(self, watch, message):
        reply = message.get("parameters", {})
        watch.gap += reply.get("dropped", 0)
        self.dropped += reply.get("dropped", 0)
        if "error" in message:
            self.broken.append(f"a watch was told {message}")
        if "location" not in reply:
            return
        location = reply["location"]
        self.received += 1
        self.latest = time.monotonic()
        if watch.sequence is not None and location["sequence"] - watch.sequence - 1 != watch.gap:
            self.broken.append(
                f"fix {watch.sequence} was followed by {location['sequence']}, with {watch.gap} counted as dropped")
        watch.sequence, watch.gap = location["sequence"], 0
        # gpsd tells an epoch again when it has learnt more of it.
        stamp = location["timestamp"]
        if stamp < watch.stamp:
            self.broken.append(f"the fix of {watch.stamp} was followed by that of {stamp}")
        if stamp > watch.stamp:
            self.books.got(stamp)
        watch.stamp = stamp
