"""Many watches in a process of their own that connect again at once when they are disconnected, and what they received."""

import atexit
import datetime
import errno
import multiprocessing
import select
import socket
import time

from library import harness
from library.client import WATCH


def value(message, key):
    """The bytes after a key of a reply, up to the end of the number or string; None if the key does not occur."""
    start = message.find(key)
    if start < 0:
        return None
    start += len(key)
    end = start
    while message[end] not in b',}"':
        end += 1
    return message[start:end]


class Watch:
    """What one client has received over all its connections."""

    def __init__(self):
        self.socket = None
        self.incomplete = b""
        # The numbers of the receiver's epochs it has received.
        self.epochs = set()
        # The highest sequence number of all, and the last one on this connection.
        self.newest = self.previous = None
        self.gaps = self.dropped = self.older = self.ends = 0
        # When it received the first location made after the mark, CLOCK_BOOTTIME like all moments here.
        self.served_at = None
        self.received_at = self.opened_at = None
        # The longest time between two locations, seconds.
        self.silence = 0


class WatchProcess:
    """The process: one poll for all watches."""

    def __init__(self, path, count, first_epoch, step):
        self.path, self.first_epoch, self.step = path, first_epoch, step
        self.watches = [Watch() for _ in range(count)]
        self.unconnected = list(self.watches)
        self.connected = {}
        self.poll = select.epoll()
        self.mark = 0
        self.ages = []
        self.states = {}
        self.numbers = {}

    def run(self, commands):
        self.poll.register(commands.fileno(), select.EPOLLIN)
        while True:
            self.connect()
            for descriptor, _ in self.poll.poll(0.01 if self.unconnected else -1):
                if descriptor != commands.fileno():
                    self.read(self.connected[descriptor])
                    continue
                try:
                    command = commands.recv()
                except EOFError:
                    return
                commands.send(self.report())
                if command == "mark":
                    self.set_mark()

    def set_mark(self):
        self.mark = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.ages, self.states = [], {}
        for watch in self.watches:
            watch.served_at, watch.silence = None, 0

    def connect(self):
        """Connects the unconnected watches; returns at an error, such as a full backlog, to try again later."""
        while self.unconnected:
            watch = self.unconnected[-1]
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
            self.unconnected.pop()
            watch.socket, watch.incomplete, watch.previous = client, b"", None
            watch.opened_at = time.clock_gettime(time.CLOCK_BOOTTIME)
            self.connected[client.fileno()] = watch
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
            del self.connected[watch.socket.fileno()]
            watch.socket.close()
            self.unconnected.append(watch)
            return
        *complete, watch.incomplete = (watch.incomplete + data).split(b"\0")
        for message in complete:
            self.record(watch, message, now)

    def record(self, watch, message, now):
        if dropped := value(message, b'"dropped":'):
            watch.dropped += int(dropped)
        if source := value(message, b'"source":"'):
            self.states.setdefault(source.decode(), now)
        sequence = value(message, b'"sequence":')
        if sequence is None:
            return
        sequence, made_at = int(sequence), float(value(message, b'"monotonicTime":'))
        is_known = watch.newest is not None and sequence <= watch.newest
        if watch.previous is not None:
            watch.gaps += sequence - watch.previous - 1
            watch.older += is_known
        # A new watch receives the last location first, which may be a former daemon's with other sequence numbers.
        watch.previous = sequence if made_at > watch.opened_at else watch.previous
        if is_known:
            return
        watch.newest = sequence
        if watch.received_at:
            watch.silence = max(watch.silence, now - watch.received_at)
        watch.received_at = now
        if made_at > self.mark:
            self.ages.append(now - made_at)
            if watch.served_at is None:
                watch.served_at = now
        if timestamp := value(message, b'"timestamp":"'):
            watch.epochs.add(self.epoch_number(timestamp))

    def epoch_number(self, timestamp):
        """The number of the receiver's epoch with this timestamp."""
        number = self.numbers.get(timestamp)
        if number is None:
            seconds = datetime.datetime.fromisoformat(timestamp.decode().replace("Z", "+00:00")).timestamp()
            number = self.numbers[timestamp] = round((seconds - self.first_epoch) / self.step)
        return number

    def report(self):
        """What the watches have received.

        connected, ends     connections that are open, and that the daemon has ended
        missing, worst      epochs between the first and the last that a watch lacks, of all watches and of one
        unreported          sequence numbers that are missing and were not reported as dropped; no watch has a filter
        dropped             locations that were reported as dropped
        older               locations older than the one before
        served, recovery    watches with a location made since the mark, and seconds until the last of them had one
        silence, ages       since the mark: the longest time between two locations; p50, p99 and max of their ages
        states              since the mark: states of the source, and after how many seconds each was first reported
        """
        missing = [max(w.epochs) - min(w.epochs) + 1 - len(w.epochs) if w.epochs else 0 for w in self.watches]
        served_at = [w.served_at for w in self.watches]
        return {
            "connected": len(self.connected), "missing": sum(missing), "worst": max(missing),
            "unreported": sum(w.gaps - w.dropped for w in self.watches),
            "dropped": sum(w.dropped for w in self.watches),
            "older": sum(w.older for w in self.watches), "ends": sum(w.ends for w in self.watches),
            "served": sum(moment is not None for moment in served_at),
            "recovery": None if None in served_at else max(served_at) - self.mark,
            "silence": max(w.silence for w in self.watches),
            "ages": tuple(harness.quantile(self.ages, share) for share in (0.5, 0.99, 1)),
            "states": {state: moment - self.mark for state, moment in self.states.items()},
        }


class Watches:
    """The process as the benchmark sees it."""

    def __init__(self, path, count, first_epoch, step=0.1):
        """The first epoch's time, and the step to the next one, in seconds, turn timestamps into numbers of epochs."""
        self.count = count
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=self._run, args=(other, self.pipe, path, count, first_epoch, step), daemon=True)
        self.process.start()
        other.close()
        atexit.register(self.close)

    @staticmethod
    def _run(commands, other, path, count, first_epoch, step):
        other.close()
        harness.raise_open_file_limit()
        WatchProcess(path, count, first_epoch, step).run(commands)

    def report(self):
        self.pipe.send("report")
        return self.pipe.recv()

    def mark(self):
        """The report so far. What it says of the time since the mark (recovery, silence, ages, states) starts anew."""
        self.pipe.send("mark")
        return self.pipe.recv()

    def wait_until_all_served(self, timeout=60):
        """The report once every watch has a location made since the mark, or as it is after the timeout."""
        end = time.monotonic() + timeout
        while (report := self.report())["served"] < self.count and time.monotonic() < end:
            time.sleep(0.02)
        return report

    def close(self):
        self.pipe.close()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
