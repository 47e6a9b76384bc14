"""Many watches in a process of their own, which come back at once when they are cut off, and keep the books."""

import atexit
import datetime
import errno
import multiprocessing
import select
import socket
import time

from library import harness as stage
from library.client import WATCH


def value(message, key):
    """The bytes after a key of a reply, up to what ends a number or a string."""
    start = message.find(key)
    if start < 0:
        return None
    start += len(key)
    end = start
    while message[end] not in b',}"':
        end += 1
    return message[start:end]


class Watch:
    """One client's books, over all its connections."""

    def __init__(self):
        self.socket = None
        self.rest = b""
        #: The number of each epoch it has had.
        self.epochs = set()
        #: The newest of all, and the one before on this connection.
        self.newest = self.previous = None
        self.gaps = self.dropped = self.older = self.ends = 0
        self.again = None
        self.heard = self.opened = None
        self.silence = 0


class Reading:
    """The process: one poll for all."""

    def __init__(self, path, count, start, step):
        self.path, self.start, self.step = path, start, step
        self.watches = [Watch() for _ in range(count)]
        self.homeless = list(self.watches)
        self.open = {}
        self.poll = select.epoll()
        self.mark = 0
        self.ages = []
        self.states = {}
        self.numbers = {}

    def run(self, orders):
        self.poll.register(orders.fileno(), select.EPOLLIN)
        while True:
            self.enter()
            for descriptor, _ in self.poll.poll(0.01 if self.homeless else -1):
                if descriptor != orders.fileno():
                    self.read(self.open[descriptor])
                    continue
                try:
                    order = orders.recv()
                except EOFError:
                    return
                orders.send(self.report())
                if order == "mark":
                    self.begin()

    def begin(self):
        self.mark = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.ages, self.states = [], {}
        for watch in self.watches:
            watch.again, watch.silence = None, 0

    def enter(self):
        """Connects those that are not; a backlog that is full is tried again."""
        while self.homeless:
            watch = self.homeless[-1]
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            try:
                client.connect(self.path)
                client.sendall(WATCH)
            except OSError as error:
                client.close()
                if error.errno in (errno.EPIPE, errno.ECONNRESET):
                    watch.ends += 1
                return
            self.homeless.pop()
            watch.socket, watch.rest, watch.previous = client, b"", None
            watch.opened = time.clock_gettime(time.CLOCK_BOOTTIME)
            self.open[client.fileno()] = watch
            self.poll.register(client.fileno(), select.EPOLLIN)

    def read(self, watch):
        try:
            data = watch.socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        if not data:
            watch.ends += 1
            self.poll.unregister(watch.socket.fileno())
            del self.open[watch.socket.fileno()]
            watch.socket.close()
            self.homeless.append(watch)
            return
        *whole, watch.rest = (watch.rest + data).split(b"\0")
        for message in whole:
            self.book(watch, message, now)

    def book(self, watch, message, now):
        if dropped := value(message, b'"dropped":'):
            watch.dropped += int(dropped)
        if source := value(message, b'"source":"'):
            self.states.setdefault(source.decode(), now)
        sequence = value(message, b'"sequence":')
        if sequence is None:
            return
        sequence, born = int(sequence), float(value(message, b'"monotonicTime":'))
        is_known = watch.newest is not None and sequence <= watch.newest
        if watch.previous is not None:
            watch.gaps += sequence - watch.previous - 1
            watch.older += is_known
        # A watch that opens shows the last location once more, perhaps a former daemon's, who had other numbers.
        watch.previous = sequence if born > watch.opened else watch.previous
        if is_known:
            return
        watch.newest = sequence
        if watch.heard:
            watch.silence = max(watch.silence, now - watch.heard)
        watch.heard = now
        if born > self.mark:
            self.ages.append(now - born)
            if watch.again is None:
                watch.again = now
        if stamp := value(message, b'"timestamp":"'):
            watch.epochs.add(self.number(stamp))

    def number(self, stamp):
        """Which epoch of the receiver it was."""
        number = self.numbers.get(stamp)
        if number is None:
            moment = datetime.datetime.fromisoformat(stamp.decode().replace("Z", "+00:00")).timestamp()
            number = self.numbers[stamp] = round((moment - self.start) / self.step)
        return number

    def report(self):
        missing = [max(w.epochs) - min(w.epochs) + 1 - len(w.epochs) if w.epochs else 0 for w in self.watches]
        again = [w.again for w in self.watches]
        return {
            "open": len(self.open), "missing": sum(missing), "worst": max(missing),
            # Without a filter a gap says what was dropped.
            "unsaid": sum(w.gaps - w.dropped for w in self.watches), "dropped": sum(w.dropped for w in self.watches),
            "older": sum(w.older for w in self.watches), "ends": sum(w.ends for w in self.watches),
            "served": sum(moment is not None for moment in again),
            "again": None if None in again else max(again) - self.mark,
            "silence": max(w.silence for w in self.watches),
            "ages": tuple(stage.quantile(self.ages, share) for share in (0.5, 0.99, 1)),
            "states": {state: moment - self.mark for state, moment in self.states.items()},
        }


class Watches:
    """The benchmark's side of them."""

    def __init__(self, path, count, start, step=0.1):
        self.count = count
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=self._run, args=(other, self.pipe, path, count, start, step), daemon=True)
        self.process.start()
        other.close()
        atexit.register(self.close)

    @staticmethod
    def _run(orders, other, path, count, start, step):
        other.close()
        stage.allow_many_files()
        Reading(path, count, start, step).run(orders)

    def report(self):
        self.pipe.send("report")
        return self.pipe.recv()

    def mark(self):
        """The report so far; what it tells of the time since (again, silence, ages, states) begins anew."""
        self.pipe.send("mark")
        return self.pipe.recv()

    def await_all(self, seconds=60):
        """The report once every watch has had a location that is younger than the mark; as it is after so long."""
        until = time.monotonic() + seconds
        while (report := self.report())["served"] < self.count and time.monotonic() < until:
            time.sleep(0.02)
        return report

    def close(self):
        self.pipe.close()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
