#!/usr/bin/env python3
"""How much the kernel buffers for a client that does not read for a while: enough for a burst, few old fixes.

Exits with 1 if a burst loses a fix, or if a client that was away finds fewer old fixes than a burst or more than two.
"""

import json
import threading
import time

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.client import Client
from library.daemon import Daemon

BURST = 50
# The kernel counts a message of more than 704 bytes almost twice. The longest device path that gpsd knows and a receiver
# that reports every field make one.
RECEIVERS = {
    "usual": {},
    "long": {"device": "/dev/serial/by-id/".ljust(127, "x"), "status": 2, "epd": 12.3456},
}


def receive_burst(daemon, gpsd, pause):
    """A burst of fixes arrives while the client does not read for so many seconds.

    Returns how many fixes it read, how many were reported to it as dropped, and the bytes of the longest message.
    """
    with Client(daemon.path).watch() as client:
        gpsd.stream(10, 1)
        list(client.messages(0.5))
        gpsd.burst(BURST)
        time.sleep(pause)
        received = [message for message in client.messages(1) if b'"location":' in message]
    dropped = sum(json.loads(message[:-1])["parameters"].get("dropped", 0) for message in received)
    return len(received), dropped, max(map(len, received), default=0)


def read_after_pause(daemon, gpsd, seconds, rate):
    """The client reads nothing for so many seconds and then everything.

    Returns how many old fixes it found, how many were reported to it as dropped, and the age of the oldest fix and of the
    first one after the dropped ones, seconds.
    """
    with Client(daemon.path).watch() as client:
        gpsd.stream(10, 1)
        list(client.messages(0.5))
        streaming = threading.Thread(target=gpsd.stream, args=(rate, int(rate * (seconds + 2))), daemon=True)
        streaming.start()
        time.sleep(seconds)
        resumed = time.clock_gettime(time.CLOCK_BOOTTIME)
        received = list(client.locations(2.5))
        streaming.join()
    if not received:
        return 0, 0, 0, 0
    old = next((n for n, (_, dropped) in enumerate(received) if dropped), 0)
    ages = [resumed - location["monotonicTime"] for location, _ in received]
    return old, sum(dropped for _, dropped in received), ages[0], ages[old]


def measure(receiver, options):
    """Prints both measurements with the messages of this receiver; yields failures."""
    gpsd = ScriptedGPSD(**RECEIVERS[receiver])
    daemon = Daemon(options.daemon, gpsd, harness.temporary_directory())
    received, dropped, size = receive_burst(daemon, gpsd, options.pause)
    print(
        f"{receiver} messages ({size} B): {received} of a burst of {BURST} within {options.pause} s "
        f"without reading arrive, {dropped} dropped")
    if received != BURST or dropped:
        yield f"{receiver} messages: a client that reads lost {BURST - received} of a burst"
    old, dropped, oldest, next_age = read_after_pause(daemon, gpsd, options.absence, 10)
    print(
        f"  after {options.absence} s without reading at 10 Hz: {old} old fixes, the oldest {oldest:.1f} s; then {dropped} "
        f"dropped and the newest, {max(0, next_age):.1f} s old")
    if not BURST <= old <= 2 * BURST:
        yield f"{receiver} messages: {old} old fixes were buffered, {BURST} to {2 * BURST} are allowed"
    daemon.stop()


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds without reading during the burst")
    parser.add_argument("--absence", type=float, default=20, help="seconds without reading at 10 Hz")
    options = parser.parse_args()
    harness.exit_if_failed([failure for receiver in RECEIVERS for failure in measure(receiver, options)])


if __name__ == "__main__":
    main()
