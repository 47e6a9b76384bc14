"""The moment at which each fix was made, shared between processes: the table that native/moments.h describes."""

import mmap
import time

SLOTS = 8_640_000


class Moments:
    """A table with one slot for each hundredth of a second of a day, found by the fix's own time."""

    def __init__(self, path):
        self.path = path
        with open(path, "w+b") as file:
            file.truncate(8 * SLOTS)
            self._table = memoryview(mmap.mmap(file.fileno(), 8 * SLOTS)).cast("q")

    def note(self, slot):
        """Stores the present moment in the slot."""
        self._table[slot % SLOTS] = time.monotonic_ns()
