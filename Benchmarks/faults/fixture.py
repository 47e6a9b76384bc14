"""What every fault starts from: a receiver, gpsd, the daemon, and watches that get every fix; and its outcome."""

import contextlib
import time

from doubles.gpsd_relay import GPSDRelay
from doubles.real_gpsd import GPSD
from doubles.reporting_receiver import ReportingReceiver
from faults.supervised_daemon import SupervisedDaemon
from faults.watches import Watches
from library import harness

CONFIGURATION = """[service]
log-level = "info"
[[sources]]
kind = "gpsd"
host = "127.0.0.1"
port = {port}
"""
# Growth of memory, KiB, and of descriptors that logs and timers explain.
USUAL_GROWTH, USUAL_DESCRIPTORS = 4096, 2


class Outcome:
    """One row of the table."""

    def __init__(self):
        # What was lost and how long until fixes arrived again, in words.
        self.lost = self.recovery = "nothing"
        # Memory, descriptors and threads of the daemon.
        self.before = self.after = (0, 0, 0)
        # The expectations that were not met.
        self.failures = []
        self.remarks = []

    def expect(self, condition, failure):
        if not condition:
            self.failures.append(failure)

    def remark(self, text):
        self.remarks.append(text)

    def expect_resources_returned(self, daemon, growth=USUAL_GROWTH):
        """Memory and descriptors return to what they were, within ten seconds."""
        end = time.monotonic() + 10
        while True:
            self.after = daemon.resources()
            is_returned = (self.after[0] - self.before[0] <= growth
                           and self.after[1] - self.before[1] <= USUAL_DESCRIPTORS)
            if is_returned or time.monotonic() > end:
                break
            time.sleep(0.2)
        self.expect(is_returned, f"memory and descriptors were {self.before[:2]} and are {self.after[:2]}")


class Fixture:
    """Everything that one fault uses; the stack closes it in the opposite order."""

    def __init__(self, options, stack):
        self.options = options
        self.stack = stack
        self.directory = harness.temporary_directory()
        self.outcome = Outcome()
        self.receiver = self.closing(ReportingReceiver())
        self.receiver.start()
        self.gpsd = GPSD(self.directory, self.receiver, options=("-n", "-b"))
        self.stack.callback(self.gpsd.kill)
        self.gpsd.wait_until_listening()
        self.relay = None
        self.daemon = None

    def closing(self, thing):
        """Closes the thing at the end, and returns it."""
        self.stack.callback(thing.close)
        return thing

    def start_daemon(self, port=None, configuration="", is_relayed=False, program=None, **more):
        """Starts the daemon and returns it when it is ready. The configuration is appended to that of the source."""
        if is_relayed:
            self.relay = self.closing(GPSDRelay(self.gpsd.port))
        port = port or (self.relay or self.gpsd).port
        self.daemon = self.closing(SupervisedDaemon(
            program or self.options.daemon, self.directory, CONFIGURATION.format(port=port) + configuration, **more))
        self.daemon.wait_until_ready()
        return self.daemon

    def open_watches(self, count=10, **more):
        """That many watches, all of which have had fixes for two seconds."""
        watches = self.closing(Watches(
            self.daemon.path, count, **{"first_epoch": self.receiver.first_epoch, **more}))
        report = watches.wait_until_all_served()
        if report["served"] < count:
            raise RuntimeError(f"not all watches are served: {report}; {self.daemon.log[-2000:]}")
        time.sleep(2)
        self.outcome.before = self.daemon.resources()
        watches.mark()
        return watches

    def expect_all_served(self, watches, report):
        self.outcome.expect(report["served"] == watches.count, "fixes do not arrive again at all watches within 60 s")

    def expect_no_loss(self, report):
        """What a watch that reads may rely on while the receiver and gpsd work."""
        expect = self.outcome.expect
        expect(report["worst"] == 0, f"{report['missing']} epochs lost, {report['worst']} of one watch")
        self.expect_no_unreported_loss(report)
        expect(report["ends"] == 0, f"{report['ends']} connections ended")
        self.outcome.lost = describe_loss(report)

    def expect_no_unreported_loss(self, report):
        expect = self.outcome.expect
        expect(report["unreported"] == 0, f"{report['unreported']} fixes were dropped without a report")
        expect(report["older"] == 0, f"{report['older']} locations were older than the one before")


def describe_loss(report):
    if not report["missing"]:
        return "nothing"
    return f"{report['worst']} epochs of a watch"


@contextlib.contextmanager
def fixture(options):
    with contextlib.ExitStack() as stack:
        yield Fixture(options, stack)
