"""gpsd and locationd beside each other: one receiver, and clients of both."""

from doubles.learned_gpsd import WATCH as GPSD_WATCH
from doubles.learned_gpsd import LearnedGPSD
from doubles.nmea_receiver import NMEAReceiver
from library.client import WATCH, watch_request
from library.daemon import Daemon
from library.harness import compile_program
from library.moments import Moments
from library.readers import Readers
from library.trial import Trial

RATE = 10
# locationd disconnects from gpsd as soon as no client watches.
CONFIGURATION = "[delivery]\nlinger = 0.0\n"


class GPSDComparison:
    """The receiver, gpsd, and a locationd that is a client of it."""

    def __init__(self, daemon, directory):
        self.moments = Moments(directory / "moments")
        self.receiver = NMEAReceiver(self.moments)
        self.gpsd = LearnedGPSD(self.receiver, directory)
        self.daemon = Daemon(daemon, self.gpsd, directory, configuration=CONFIGURATION)
        self.program = compile_program("readers", directory)
        self.directory = directory
        for name, content in {"gpsd": GPSD_WATCH, "watch": WATCH, "sky": watch_request(satellites=True)}.items():
            (directory / name).write_bytes(content)

    def clients_of_gpsd(self, count):
        readers = Readers(self.program, self.gpsd.port, count, self.directory / "gpsd", moments=self.moments)
        # gpsd answers each by VERSION, DEVICES and WATCH.
        readers.wait_until_answered(3 * count)
        return readers

    def watches(self, count, kind="watch", path=None):
        """Watches of locationd, or of a server at another path."""
        readers = Readers(
            self.program, path or self.daemon.path, count, self.directory / kind, moments=self.moments)
        readers.wait_until_answered(count)
        return readers

    def measure(self, readers, clients, gpsd_clients, seconds):
        """Measures gpsd and locationd while gpsd has exactly so many clients."""
        self.gpsd.wait_for_clients(gpsd_clients)
        return Trial(self.receiver.run, [self.gpsd.pid, self.daemon.pid], readers, clients, RATE, seconds)
