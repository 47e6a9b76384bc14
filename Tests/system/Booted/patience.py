"""How long an event may take, on a machine that is busy with other things."""

import time

#: Seconds.
PATIENCE = 60


class Failure(Exception):
    """What was expected and did not come."""


def until(what, condition, patience=PATIENCE):
    """Waits until `condition()` is true, and gives what it gave."""
    deadline = time.monotonic() + patience
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise Failure(f"not within {patience} s: {what}")
        time.sleep(0.05)
    return result
