"""The clock by which ages are counted."""

import time


def boottime() -> float:
    """The present time of `CLOCK_BOOTTIME`, seconds since the boot; it counts a suspend, and nobody sets it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
