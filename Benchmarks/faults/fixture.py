"""What every fault begins with: a receiver, gpsd, the daemon, and watches that get every fix; and what comes of it."""

import contextlib
import time

from library import harness as stage
from doubles.real_gpsd import GPSD
from doubles.reporting_receiver import Receiver
from doubles.gpsd_relay import Relay
from faults.supervised_daemon import Service
from faults.watches import Watches

CONFIGURATION = """[service]
log-level = "info"
[[sources]]
kind = "gpsd"
host = "127.0.0.1"
port = {port}
"""
#: Memory and descriptors that come and go with logs and timers, KiB and number.
USUAL_GROWTH, USUAL_DESCRIPTORS = 4096, 2


class Outcome:
    """One row of the table."""

    def __init__(self):
        #: In words.
        self.lost = self.again = "nothing"
        self.before = self.after = (0, 0, 0)
        #: The promises that were broken.
        self.broken = []
        #: What else is to be known.
        self.remarks = []

    def promise(self, holds, what):
        if not holds:
            self.broken.append(what)

    def remark(self, what):
        self.remarks.append(what)

    def settle(self, service, growth=USUAL_GROWTH):
        """Memory and descriptors come back to what they were: waits for it, and says if they do not."""
        until = time.monotonic() + 10
        while True:
            self.after = service.figures()
            is_settled = (self.after[0] - self.before[0] <= growth
                          and self.after[1] - self.before[1] <= USUAL_DESCRIPTORS)
            if is_settled or time.monotonic() > until:
                break
            time.sleep(0.2)
        self.promise(is_settled, f"memory and descriptors were {self.before[:2]} and are {self.after[:2]}")


class Scene:
    """Everything of one fault, closed in the opposite order."""

    def __init__(self, options, stack):
        self.options = options
        self.stack = stack
        self.directory = stage.folder()
        self.outcome = Outcome()
        self.receiver = self.closed(Receiver())
        self.gpsd = GPSD(self.directory, self.receiver, options=("-n", "-b"))
        self.stack.callback(self.gpsd.kill)
        self.gpsd.answered()
        self.relay = None
        self.service = None

    def closed(self, thing):
        self.stack.callback(thing.close)
        return thing

    def serve(self, port=None, rest="", is_relayed=False, program=None, **more):
        """Starts the daemon; the rest of its configuration follows the source."""
        if is_relayed:
            self.relay = self.closed(Relay(self.gpsd.port))
        port = port or (self.relay or self.gpsd).port
        self.service = self.closed(Service(
            program or self.options.daemon, self.directory, CONFIGURATION.format(port=port) + rest, **more))
        self.service.await_ready()
        return self.service

    def watch(self, count=10, **more):
        """That many watches, all of which have had fixes for two seconds."""
        watches = self.closed(Watches(self.service.path, count, **{"start": self.receiver.start, **more}))
        report = watches.await_all()
        if report["served"] < count:
            raise RuntimeError(f"not all watches are served: {report}; {self.service.log[-2000:]}")
        time.sleep(2)
        self.outcome.before = self.service.figures()
        watches.mark()
        return watches

    def nothing_is_lost(self, report, allowed=0):
        """The promise for a watch that reads while the receiver and gpsd are well."""
        promise = self.outcome.promise
        promise(report["worst"] <= allowed, f"{report['missing']} epochs lost, {report['worst']} of one watch")
        self.nothing_is_untold(report)
        promise(report["ends"] == 0, f"{report['ends']} connections ended")
        self.outcome.lost = words_of_loss(report)

    def nothing_is_untold(self, report):
        promise = self.outcome.promise
        promise(report["unsaid"] == 0, f"{report['unsaid']} fixes dropped without a word")
        promise(report["older"] == 0, f"{report['older']} locations were older than the one before")


def words_of_loss(report):
    if not report["missing"]:
        return "nothing"
    return f"{report['worst']} epochs of a watch"


@contextlib.contextmanager
def scene(options):
    with contextlib.ExitStack() as stack:
        yield Scene(options, stack)
