"""gpsd suffers, or makes others suffer: killed, frozen, flooding, stuttering, endless."""

import calendar
import signal
import threading
import time

from doubles.scripted_gpsd import BEGINNING, ScriptedGPSD
from faults.fixture import scene, words_of_loss


def killed(options):
    """gpsd is killed, and started again after 3 s."""
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch()
        stage.gpsd.kill()
        watches.mark()
        time.sleep(3)
        told = watches.report()
        stage.gpsd.start()
        stage.gpsd.answered()
        began = time.monotonic()
        report = watches.await_all()
        outcome = stage.outcome
        outcome.again = f"{time.monotonic() - began:.1f} s after gpsd"
        outcome.lost = words_of_loss(report)
        outcome.promise(report["served"] == watches.count, "fixes do not flow again within 60 s")
        outcome.promise("starting" in told["states"] or "unavailable" in told["states"],
                        f"the watches were told {told['states']}")
        outcome.promise(report["ends"] == 0, f"{report['ends']} connections ended")
        stage.nothing_is_untold(report)
        outcome.settle(service)
        return outcome


def frozen(options):
    """gpsd is frozen for 30 s, which is longer than the patience with its silence."""
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch()
        stage.gpsd.signal(signal.SIGSTOP)
        watches.mark()
        time.sleep(30)
        told = watches.mark()
        stage.gpsd.signal(signal.SIGCONT)
        report = watches.await_all()
        outcome = stage.outcome
        outcome.again = f"{report['again'] or 60:.1f} s after the thaw"
        outcome.lost = words_of_loss(report)
        outcome.promise(report["served"] == watches.count, "fixes do not flow again within 60 s")
        outcome.promise("lost" in told["states"], f"the watches were told {told['states']}")
        outcome.promise(report["ends"] == 0, f"{report['ends']} connections ended")
        outcome.remark(f"told `lost` {told['states'].get('lost', 0):.1f} s after the freeze")
        stage.nothing_is_untold(report)
        outcome.settle(service)
        return outcome


def under(options, doing):
    """Nothing is to be lost while `doing` happens to a relay between gpsd and the daemon."""
    with scene(options) as stage:
        service, watches = stage.serve(is_relayed=True), stage.watch()
        doing(stage.relay)
        report = watches.mark()
        outcome = stage.outcome
        again = watches.await_all()
        outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.promise(again["served"] == watches.count, "fixes do not flow again within 60 s")
        stage.nothing_is_lost(again)
        outcome.settle(service)
        return outcome


def paced(rate, seconds, send):
    """Calls with how many are due, a hundred times a second. Returns how many a second it was in truth."""
    began, done = time.monotonic(), 0
    while (now := time.monotonic()) < began + seconds:
        due = int((now - began) * rate) - done
        if due:
            send(due)
            done += due
        time.sleep(0.01)
    return done / (time.monotonic() - began)


def nonsense(options):
    """10,000 lines of nonsense a second for 10 s, between what gpsd says."""
    line = b'{"class":"TPV","device":"/dev/null","mode":3,"lat":9.9,,,}\r\n'
    rates = []
    outcome = under(options, lambda relay: rates.append(paced(10_000, 10, lambda due: relay.add(line * due))))
    outcome.remark(f"{rates[0]:,.0f} lines/s came")
    return outcome


def stutter(options):
    """Each byte that gpsd says comes by itself, for 10 s."""
    def doing(relay):
        relay.is_bytewise = True
        time.sleep(10)
        relay.is_bytewise = False
    return under(options, doing)


def endless(options):
    """A line of 10 MB, and another one after it."""
    def doing(relay):
        for _ in range(2):
            relay.add(b'{"class":"TPV","device":"' + b"x" * 10_000_000 + b'"}\r\n')
            time.sleep(1)
    return under(options, doing)


def flood(options):
    """10,000 lines a second of fixes for 10 s: a position and a sky, 5,000 times."""
    with scene(options) as stage:
        gpsd = ScriptedGPSD()
        service = stage.serve(port=gpsd.port)
        feeding = threading.Thread(target=gpsd.stream, args=(10, 30), daemon=True)
        feeding.start()
        watches = stage.watch(3, start=calendar.timegm(BEGINNING.timetuple()), step=0.01)
        feeding.join()
        before = gpsd.produced
        rate = paced(5000, 10, lambda due: gpsd.burst(due))
        outcome = stage.outcome
        time.sleep(1)
        gpsd.stream(10, 5)
        watches.await_all()
        time.sleep(1)
        report = watches.report()
        produced = gpsd.produced - before
        outcome.lost = f"{report['dropped'] / watches.count / produced:.1%} dropped, and said so"
        outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.remark(f"{2 * rate:,.0f} lines/s came")
        outcome.promise(report["served"] == watches.count, "fixes do not flow again")
        outcome.promise(report["missing"] == report["dropped"],
                        f"{report['missing']} epochs are missing and {report['dropped']} are said to be dropped")
        outcome.promise(report["ends"] == 0, f"{report['ends']} connections ended")
        stage.nothing_is_untold(report)
        outcome.settle(service)
        return outcome


FAULTS = [killed, frozen, nonsense, flood, stutter, endless]
