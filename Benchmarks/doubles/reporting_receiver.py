"""A receiver on a pseudo terminal that reports by itself, at a fixed rate and with the present time."""

import contextlib
import os
import threading
import time

from library.terminal import Terminal, epoch


class ReportingReceiver(Terminal):
    """Drives north and reports from `start` until `close`, whether or not gpsd reads."""

    def __init__(self, rate=10):
        super().__init__(is_blocking=False)
        self.rate = rate
        # While true, epochs pass without a report.
        self.is_silent = False
        # The time of the first epoch, CLOCK_REALTIME.
        self.first_epoch = None
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._report, daemon=True)

    def start(self):
        # A whole second: at ten epochs a second each one's time is a tenth.
        self.first_epoch = float(round(time.time()))
        self._thread.start()

    def _report(self):
        start, number = time.monotonic(), 0
        while not self._is_closing.wait(max(0, start + number / self.rate - time.monotonic())):
            if not self.is_silent:
                self.write(epoch(self.first_epoch + number / self.rate, number))
            with contextlib.suppress(BlockingIOError):
                os.read(self.descriptor, 4096)
            number += 1

    def close(self):
        self._is_closing.set()
        self._thread.join()
        super().close()
