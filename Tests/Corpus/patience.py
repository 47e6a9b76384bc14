"""Waiting that always ends, and the one error by which a run fails."""

import asyncio
import time


class Failure(Exception):
    """A run that cannot be judged a match, with the reason in words."""


async def until(condition, seconds):
    """Waits until `condition()` holds, at most `seconds`; returns whether it does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.001)
    return True


async def need(condition, seconds, otherwise):
    """As `until`, but fails with the words `otherwise` when the time is over."""
    if not await until(condition, seconds):
        raise Failure(otherwise)
