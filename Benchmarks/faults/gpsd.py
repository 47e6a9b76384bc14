"""gpsd is killed or frozen, or sends floods, garbage, single bytes and endless lines."""

import calendar
import signal
import threading
import time

from doubles.scripted_gpsd import FIRST_DAY, ScriptedGPSD
from faults.fixture import describe_loss, fixture


def killed(options):
    """gpsd is killed, and started again after 3 s."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches()
        setup.gpsd.kill()
        watches.mark()
        time.sleep(3)
        states = watches.report()["states"]
        setup.gpsd.start()
        setup.gpsd.wait_until_listening()
        start = time.monotonic()
        report = watches.wait_until_all_served()
        outcome = setup.outcome
        outcome.recovery = f"{time.monotonic() - start:.1f} s after gpsd"
        outcome.lost = describe_loss(report)
        setup.expect_all_served(watches, report)
        outcome.expect("starting" in states or "unavailable" in states, f"the source's states were {states}")
        outcome.expect(report["ends"] == 0, f"{report['ends']} connections ended")
        setup.expect_no_unreported_loss(report)
        outcome.expect_resources_returned(daemon)
        return outcome


def frozen(options):
    """gpsd is stopped for 30 s, which is longer than the daemon's timeout for its silence."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches()
        setup.gpsd.signal(signal.SIGSTOP)
        watches.mark()
        time.sleep(30)
        states = watches.mark()["states"]
        setup.gpsd.signal(signal.SIGCONT)
        report = watches.wait_until_all_served()
        outcome = setup.outcome
        outcome.recovery = f"{report['recovery'] or 60:.1f} s after gpsd goes on"
        outcome.lost = describe_loss(report)
        setup.expect_all_served(watches, report)
        outcome.expect("lost" in states, f"the source's states were {states}")
        outcome.expect(report["ends"] == 0, f"{report['ends']} connections ended")
        outcome.remark(f"`lost` was reported {states.get('lost', 0):.1f} s after gpsd was stopped")
        setup.expect_no_unreported_loss(report)
        outcome.expect_resources_returned(daemon)
        return outcome


def disturbed(options, disturb):
    """No fix may be lost while `disturb` acts on a relay between gpsd and the daemon."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(is_relayed=True), setup.open_watches()
        disturb(setup.relay)
        during = watches.mark()
        outcome = setup.outcome
        report = watches.wait_until_all_served()
        outcome.recovery = f"not interrupted; p99 {during['ages'][1] * 1e3:.1f} ms"
        setup.expect_all_served(watches, report)
        setup.expect_no_loss(report)
        outcome.expect_resources_returned(daemon)
        return outcome


def paced(rate, seconds, send):
    """Calls `send` with how many are due, a hundred times a second. Returns how many a second there were in fact."""
    start, done = time.monotonic(), 0
    while (now := time.monotonic()) < start + seconds:
        due = int((now - start) * rate) - done
        if due:
            send(due)
            done += due
        time.sleep(0.01)
    return done / (time.monotonic() - start)


def garbage(options):
    """10,000 lines of garbage a second for 10 s, between gpsd's own."""
    line = b'{"class":"TPV","device":"/dev/null","mode":3,"lat":9.9,,,}\r\n'
    rates = []
    outcome = disturbed(
        options, lambda relay: rates.append(paced(10_000, 10, lambda due: relay.insert(line * due))))
    outcome.remark(f"{rates[0]:,.0f} lines/s were sent")
    return outcome


def single_bytes(options):
    """Each byte of gpsd's output is sent by itself, for 10 s."""
    def disturb(relay):
        relay.is_bytewise = True
        time.sleep(10)
        relay.is_bytewise = False
    return disturbed(options, disturb)


def endless_lines(options):
    """A line of 10 MB, and another one after it."""
    def disturb(relay):
        for _ in range(2):
            relay.insert(b'{"class":"TPV","device":"' + b"x" * 10_000_000 + b'"}\r\n')
            time.sleep(1)
    return disturbed(options, disturb)


def flood(options):
    """10,000 lines of fixes a second for 10 s: a TPV and a SKY, 5,000 times."""
    with fixture(options) as setup:
        gpsd = ScriptedGPSD()
        daemon = setup.start_daemon(port=gpsd.port)
        streaming = threading.Thread(target=gpsd.stream, args=(10, 30), daemon=True)
        streaming.start()
        watches = setup.open_watches(3, first_epoch=calendar.timegm(FIRST_DAY.timetuple()), step=0.01)
        streaming.join()
        before = gpsd.produced
        rate = paced(5000, 10, gpsd.burst)
        outcome = setup.outcome
        time.sleep(1)
        gpsd.stream(10, 5)
        watches.wait_until_all_served()
        time.sleep(1)
        report = watches.report()
        produced = gpsd.produced - before
        outcome.lost = f"{report['dropped'] / watches.count / produced:.1%} dropped, reported"
        outcome.recovery = f"not interrupted; p99 {report['ages'][1] * 1e3:.1f} ms"
        outcome.remark(f"{2 * rate:,.0f} lines/s were sent")
        setup.expect_all_served(watches, report)
        outcome.expect(report["missing"] == report["dropped"],
                       f"{report['missing']} epochs are missing, {report['dropped']} were reported as dropped")
        outcome.expect(report["ends"] == 0, f"{report['ends']} connections ended")
        setup.expect_no_unreported_loss(report)
        outcome.expect_resources_returned(daemon)
        return outcome


FAULTS = [killed, frozen, garbage, flood, single_bytes, endless_lines]
