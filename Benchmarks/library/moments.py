"""When each fix was made, for who reads it elsewhere: the table that moments.h describes."""

import mmap
import time

SLOTS = 8_640_000


class Moments:
    """One slot for each hundredth of a second of a day, by the time that a fix tells of itself."""

    def __init__(self, path):
        self.path = path
        with open(path, "w+b") as file:
            file.truncate(8 * SLOTS)
            self._table = memoryview(mmap.mmap(file.fileno(), 8 * SLOTS)).cast("q")

    def note(self, slot):
        """Now is the moment."""
        self._table[slot % SLOTS] = time.monotonic_ns()
