"""Waiting that always ends, processes that always end, and the one error by which a run fails."""

import asyncio
import subprocess
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


async def reach(address, process):
    """Connects to a Unix socket, or a port, that `process` is about to open; returns reader and writer."""
    end = time.monotonic() + 15
    while True:
        try:
            if isinstance(address, str):
                return await asyncio.open_unix_connection(address, limit=1 << 20)
            return await asyncio.open_connection("127.0.0.1", address, limit=1 << 20)
        except OSError as error:
            if process.poll() is not None or time.monotonic() > end:
                raise Failure("nobody answers on %s: %s" % (address, error)) from error
        await asyncio.sleep(0.01)


def launch(command, log, **more):
    """Starts a process that has no input and says everything into the file `log`."""
    with open(log, "wb") as words:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=words, stderr=words, **more)


async def stop(process, patience):
    """Ends a process: asked first, so that it cleans up behind itself, and made to after `patience` seconds."""
    if process is None or process.poll() is not None:
        return
    process.terminate()
    if not await until(lambda: process.poll() is not None, patience):
        process.kill()
        process.wait()


def last_words(log):
    """The last line a process said."""
    with open(log, errors="replace") as words:
        return (words.read().strip().splitlines() or ["nothing was said"])[-1]
