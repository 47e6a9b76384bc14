"""One run: gpsd replays one log, or several receivers' at once, to the daemon and a plain client; then the verdict."""

import asyncio
import contextlib
import os
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, zip_longest

import basis
import bridge
from difference import first_difference
from feed import GPSD, Receiver
from marker import Marker
from oracle import Oracle
from patience import Failure, need, stop, until
from relay import Relay
from watch import Daemon, Watch

#: Seconds within which a location must follow gpsd's TPV; far less is usual, but the machine may be busy.
AT_ONCE = 3
#: Late locations after which a replay is given up.
LATE_LIMIT = 2
#: Seconds of gpsd's silence that end a log whose end mark gpsd could not read.
SILENCE = 2


@dataclass
class Result:
    """What became of one run; `difference` is `None` when it matches."""

    name: str
    tpvs: int = 0
    fixes: int = 0
    repeats: int = 0
    locations: int = 0
    #: Locations by their `accuracyBasis`.
    bases: dict = field(default_factory=dict)
    #: Whether it cannot be told if a receiver states its accuracy.
    is_untold: bool = False
    #: Fixes that the daemon holds back as implausible, which a client of the bridge is not told.
    held_back: int = 0
    difference: str | None = None


async def run(program, logs, bridge_program=None):
    """Replays `logs`, one receiver each, and compares. What it starts has ended when it returns, however it does."""
    session = Session(logs, bridge_program)
    async with contextlib.AsyncExitStack() as stack:
        try:
            await session.start(stack, program)
            await session.replay()
            await session.judge()
        except (Failure, OSError) as failure:
            session.result.difference = session.trouble() or str(failure)
    return session.result


class Session:
    """The parts of one run."""

    def __init__(self, logs, bridge_program):
        self.logs, self.bridge_program = logs, bridge_program
        #: What the bridge's client was told, where there is a bridge.
        self.bridged = bridge.BridgeClient() if bridge_program else None
        self.result = Result(" + ".join(os.path.basename(log).removesuffix(".log") for log in logs))
        self.oracle, self.watch = Oracle(), Watch()
        self.gpsd = self.relay = self.daemon = self.folder = None
        self.receivers = []
        #: The first location that did not come at once, in words.
        self.late = None

    def trouble(self):
        """Why going on is useless, in words, or `None`."""
        return (self.oracle.failure or self.bridged and self.bridged.failure or self.daemon and self.daemon.end() or self.watch.failure
                or (self.relay and self.relay.is_broken and "the daemon left gpsd during the log") or None)

    async def start(self, stack, program):
        """Starts everything, up to the moment at which the first byte would reach both clients."""
        self.folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="locationd-corpus-"))
        self.gpsd = GPSD(self.folder)
        stack.push_async_callback(self.gpsd.stop)
        await self.gpsd.start()
        for log in self.logs:
            self.receivers.append(Receiver(log))
            stack.callback(self.receivers[-1].close)
            await self.gpsd.add(self.receivers[-1].path)
        self._listen(stack, self.oracle.listen(self.gpsd.port))
        await need(lambda: self.oracle.is_watching or self.trouble(), 15, "gpsd granted no WATCH within 15 s")
        self.relay = Relay(self.gpsd.port)
        stack.push_async_callback(self.relay.stop)
        self.daemon = Daemon(program, await self.relay.start(), self.folder)
        self.daemon.start()
        stack.push_async_callback(stop, self.daemon.process, 6)
        self._listen(stack, self.watch.listen(self.daemon))
        if self.bridged:
            await self._bridge(stack)
        await need(lambda: self.relay.is_watching or self.trouble(), 15, "the daemon did not WATCH gpsd within 15 s")
        await need(lambda: all(receiver.path in self.oracle.active and receiver.is_connected()
                               for receiver in self.receivers) or self.trouble(),
                   15, "gpsd did not open the log's device within 15 s")

    async def _bridge(self, stack):
        """Starts the bridge, and its client, which is watching when this returns."""
        await need(lambda: os.path.exists(self.daemon.control) or self.trouble(), 15, "there is no control socket")
        served = bridge.Bridge(self.bridge_program, self.daemon.control, self.folder)
        stack.push_async_callback(lambda: stop(served.process, 6))
        await served.start()
        self._listen(stack, self.bridged.listen(served.socket))
        await need(lambda: self.bridged.is_served or self.trouble(), 15, "the bridge did not watch the daemon within 15 s")

    @staticmethod
    def _listen(stack, listening):
        task = asyncio.create_task(listening)
        async def end():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        stack.push_async_callback(end)

    async def replay(self):
        """Plays the logs in turns, each packet only when the daemon has delivered every fix gpsd has told so far.

        Nothing can coalesce that way, and a fix that is held back for more of its epoch shows at once.
        """
        expected, received, missing = self.oracle.expected, self.watch.received, 0
        turns = zip_longest(*([(receiver, packet) for packet in receiver.packets] for receiver in self.receivers))
        for receiver, packet in filter(None, chain.from_iterable(turns)):
            if missing >= LATE_LIMIT or self.trouble():
                break
            await receiver.send(packet)
            if not await until(lambda: len(expected) - len(received) <= missing or self.trouble(), AT_ONCE):
                missing = len(expected) - len(received)
                self.late = self.late or "fix %d had not arrived %d s after gpsd told it" % (
                    len(received) + 1, AT_ONCE)
        else:
            await until(lambda: not self.oracle.active.intersection(receiver.path for receiver in self.receivers)
                        or time.monotonic() - self.oracle.heard > SILENCE, 60)

    async def judge(self):
        """Waits until everything has passed and compares."""
        lost, result = None, self.result
        marker = Marker(self.folder)
        try:
            if not self.trouble():
                lost = await marker.run(self.gpsd, self.oracle, self.watch)
            fixes, locations = marker.cut(self.oracle.expected), marker.cut(self.watch.received)
            if self.bridged:
                believed = [fix for fix, is_believed in zip(fixes, self.watch.believed) if is_believed]
                result.held_back = len(fixes) - len(believed)
                # The marker may be held back, too.
                await until(lambda: len(self.bridged.expected) >= len(believed) or self.trouble(), AT_ONCE)
                lost = lost or bridge.first_difference(believed, marker.cut(self.bridged.expected))
        finally:
            marker.close()
        if self.watch.failure:
            await until(self.daemon.end, 1)  # a crash says more than the end of the watch
        result.tpvs, result.repeats = (
            sum(count[receiver.path] for receiver in self.receivers)
            for count in (self.oracle.tpvs, self.oracle.repeats))
        result.fixes, result.locations = len(fixes) + result.repeats, len(locations)
        result.bases = Counter(self.watch.bases[:len(locations)])
        result.difference = (self.trouble() or first_difference(fixes, locations) or self._wrong_basis(locations) or lost
                             or self.late)

    def _wrong_basis(self, locations):
        """The first wrong `accuracyBasis`, in words, or `None`; the locations are those that gpsd told."""
        said = list(zip(locations, self.oracle.witness.fixes, self.watch.bases))
        for log, receiver in zip(self.logs, self.receivers):
            own = [(fix, base) for location, fix, base in said if location["device"] == receiver.path]
            with open(log, "rb") as file:
                states = basis.states_accuracy(file.read())
            fixes = [fix for fix, _ in own]
            self.result.is_untold |= not states and basis.may_state_accuracy(fixes, states)
            wrong = basis.first_difference(fixes, [base for _, base in own], states)
            if wrong:
                return wrong
        return None
