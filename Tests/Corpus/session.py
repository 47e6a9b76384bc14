"""One log, replayed once: gpsd, the daemon, a plain client and the verdict."""

import asyncio
import os
import tempfile
import time
from dataclasses import dataclass

import marker
from difference import first_difference
from feed import GPSD, Receiver, stop
from oracle import Oracle
from patience import Failure, need, until
from relay import Relay
from watch import Daemon, Watch

#: Seconds within which a location must follow gpsd's TPV; far less is usual, but the machine may be busy.
AT_ONCE = 3
#: Late locations after which a replay is given up.
LATE_LIMIT = 3
#: Seconds of gpsd's silence that end a log whose end mark gpsd could not read.
SILENCE = 2


@dataclass
class Result:
    """What became of one log; `difference` is `None` when it matches."""

    name: str
    tpvs: int = 0
    fixes: int = 0
    repeats: int = 0
    locations: int = 0
    difference: str | None = None


async def run(program, log):
    """Replays `log` and compares. Everything it starts has ended when it returns, however it does."""
    result = Result(os.path.basename(log).removesuffix(".log"))
    oracle, watch = Oracle(), Watch()
    with tempfile.TemporaryDirectory(prefix="locationd-corpus-") as folder:
        gpsd, listeners, relay, daemon, receiver = GPSD(folder), [], None, None, Receiver(log)
        try:
            await gpsd.start()
            await gpsd.add(receiver.path)
            listeners.append(asyncio.create_task(oracle.listen(gpsd.port)))
            await need(lambda: oracle.is_watching or oracle.failure, 15, "gpsd granted no WATCH within 15 s")
            relay = Relay(gpsd.port)
            daemon = Daemon(program, await relay.start(), folder)
            await daemon.start()
            listeners.append(asyncio.create_task(watch.listen(daemon.socket)))
            await need(lambda: relay.is_watching or watch.failure, 15, "the daemon did not WATCH gpsd within 15 s")
            await need(lambda: receiver.path in oracle.active and receiver.is_connected() or watch.failure, 15,
                       "gpsd did not open the log's device within 15 s")
            late = await _replay(receiver, oracle, watch)
            result.tpvs = oracle.tpvs
            fixes, locations = oracle.expected, watch.received
            if not watch.failure:
                device = await marker.run(gpsd, oracle, watch, folder)
                fixes, locations = marker.cut(fixes, device), marker.cut(locations, device)
            result.fixes, result.locations = len(fixes) + oracle.repeats, len(locations)
            result.repeats = oracle.repeats
            daemon.check()
            result.difference = oracle.failure or first_difference(fixes, locations) or late or watch.failure
            if relay.is_broken:
                result.difference = result.difference or "the daemon left gpsd during the log"
        except Failure as failure:
            result.difference = oracle.failure or watch.failure or str(failure)
        finally:
            for listener in listeners:
                listener.cancel()
            await asyncio.gather(*listeners, return_exceptions=True)
            await stop(daemon and daemon.process, 6)
            await stop(gpsd.process, 3)
            if relay:
                await relay.stop()
            receiver.close()
    return result


async def _replay(receiver, oracle, watch):
    """Plays the log, each packet only when the daemon has delivered every fix gpsd has told so far.

    Nothing can coalesce that way, and a fix that is held back for more of its epoch shows at once.
    :returns: the first late fix in words, or `None`.
    """
    late, missing = None, 0
    for number, packet in enumerate(receiver.packets):
        await receiver.send(packet)
        if oracle.failure or watch.failure:
            return late
        if not await until(lambda: len(oracle.expected) - len(watch.received) <= missing, AT_ONCE):
            missing = len(oracle.expected) - len(watch.received)
            late = late or "fix %d had not arrived %d s after gpsd told it" % (len(watch.received) + 1, AT_ONCE)
            if missing >= LATE_LIMIT:
                await receiver.send(receiver.packets[-1])
                break
    await until(lambda: receiver.path not in oracle.active or time.monotonic() - oracle.heard > SILENCE, 60)
    return late
