"""Many reading clients in one process."""

import time

from library.harness import ChildProgram


class Readers(ChildProgram):
    """The program readers.c. With `moments`, latency counts from the moment noted there for each location."""

    def __init__(self, program, address, clients, *request, moments=None, by_sequence=False):
        options = ["-m", moments.path, *(["-s"] if by_sequence else [])] if moments else []
        super().__init__(program, *options, address, clients, *request)

    def report(self, reset_latency=False):
        """The statistics of all clients; latency starts anew afterwards if asked for."""
        return self.query("reset" if reset_latency else "report")

    def counts(self):
        """The statistics without latency, which cost next to nothing while messages arrive."""
        return self.query("counts")

    def samples(self):
        """For each message since latency was reset, the slot of its moment and its latency, seconds."""
        return self.query("samples")

    def wait_until_answered(self, messages):
        """Returns once so many messages have arrived, of any kind and for all clients together."""
        for _ in range(600):
            counts = self.counts()
            if counts["received"] + counts["others"] >= messages:
                return
            time.sleep(0.05)
        raise TimeoutError(f"not every client was answered: {counts}")

    def wait_for_locations(self, received, timeout=10):
        """The statistics once so many locations have arrived, or as they are after the timeout."""
        end = time.monotonic() + timeout
        while self.counts()["received"] < received and time.monotonic() < end:
            time.sleep(0.05)
        return self.report()
