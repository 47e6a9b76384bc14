#!/usr/bin/env python3
"""How much the kernel keeps for a client that does not read for a while: enough for a burst, not a hoard of old fixes.

Exits with 1 if a burst loses a fix, or if a client that was away finds more than twice as many old ones.
"""

import argparse
import json
import sys
import threading
import time

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import Client
from doubles.scripted_gpsd import ScriptedGPSD

BURST = 50
# The kernel counts a message of more than 704 bytes almost twice. The longest device gpsd knows and a receiver that
# tells everything make one.
RECEIVERS = {
    "usual": {},
    "long": {"device": "/dev/serial/by-id/".ljust(127, "x"), "status": 2, "epd": 12.3456},
}


def burst(daemon, gpsd, pause):
    """A burst of fixes comes while the client looks away for so many seconds.

    Returns how many it got, how many it was told it had lost, and the bytes of one.
    """
    client = Client(daemon.path).watch()
    gpsd.stream(10, 1)
    list(client.messages(0.5))
    gpsd.burst(BURST)
    time.sleep(pause)
    received = [message for message in client.messages(1) if b'"location":' in message]
    client.close()
    lost = sum(json.loads(message[:-1])["parameters"].get("dropped", 0) for message in received)
    return len(received), lost, max(map(len, received), default=0)


def absence(daemon, gpsd, seconds, rate):
    """The client reads nothing for so many seconds and then everything.

    Returns how many old fixes it found, how many it was told it had lost, and the age of the oldest and of the first
    after the loss, seconds.
    """
    client = Client(daemon.path).watch()
    gpsd.stream(10, 1)
    list(client.messages(0.5))
    streaming = threading.Thread(target=gpsd.stream, args=(rate, int(rate * (seconds + 2))), daemon=True)
    streaming.start()
    time.sleep(seconds)
    resumed = time.clock_gettime(time.CLOCK_BOOTTIME)
    received = list(client.locations(2.5))
    streaming.join()
    client.close()
    if not received:
        return 0, 0, 0, 0
    old = next((n for n, (_, dropped) in enumerate(received) if dropped), 0)
    ages = [resumed - location["monotonicTime"] for location, _ in received]
    return old, sum(dropped for _, dropped in received), ages[0], ages[old]


def faults(name, receiver, options):
    """Tries both with the messages of this receiver; prints what came, and yields what should not be."""
    gpsd = ScriptedGPSD(**receiver)
    daemon = stage.Daemon(options.daemon, gpsd, stage.folder())
    received, lost, size = burst(daemon, gpsd, options.pause)
    print(
        f"{name} messages ({size} B): {received} of a burst of {BURST} within {options.pause} s "
        f"without reading arrive, {lost} dropped")
    if received != BURST or lost:
        yield f"a client that reads lost {BURST - received} of a burst"
    old, dropped, oldest, next_age = absence(daemon, gpsd, options.absence, 10)
    print(
        f"  back after {options.absence} s at 10 Hz: {old} old fixes, the oldest {oldest:.1f} s; then {dropped} "
        f"dropped and the newest, {max(0, next_age):.1f} s old on return")
    if not BURST <= old <= 2 * BURST:
        yield f"{old} old fixes wait for a client that was away, {BURST} to {2 * BURST} are meant to"
    daemon.end()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--pause", type=float, default=0.2, help="seconds without reading during the burst")
    options.add_argument("--absence", type=float, default=20, help="seconds without reading at 10 Hz")
    options = options.parse_args()
    broken = []
    for name, receiver in RECEIVERS.items():
        broken += [f"{name} messages: {fault}" for fault in faults(name, receiver, options)]
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
