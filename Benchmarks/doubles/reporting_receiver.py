"""An invented receiver: it drives north, reports with the time of now, and never waits."""

import contextlib
import os
import threading
import time

from library.terminal import Terminal, epoch


class Receiver(Terminal):
    """Reports until it is closed."""

    rate = 10

    def __init__(self):
        super().__init__(is_blocking=False)
        # A whole second, so that every epoch has its tenth.
        self.start = float(round(time.time()))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._drive, daemon=True)
        self._thread.start()

    def _drive(self):
        began, number = time.monotonic(), 0
        while not self._ends.wait(max(0, began + number / self.rate - time.monotonic())):
            self.write(epoch(self.start + number / self.rate, number))
            with contextlib.suppress(BlockingIOError):
                os.read(self.descriptor, 4096)
            number += 1

    def close(self):
        self._ends.set()
        self._thread.join()
        super().close()
