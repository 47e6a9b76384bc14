"""What goes wrong in a soak, one after another, in an order that chance deals.

Each fault is a generator that yields how many seconds pass before it goes on; it ends when the fault is over.
"""

import contextlib
import os
import random
import signal
import time

from library import harness as stage
from library.client import Client
from soak.clients import DENIED, GRANTED, REDUCED, UNDECIDED, WAVERING


# After so many seconds without a word from gpsd the daemon connects anew.
SILENCE = 5


def settings(port, limits="", stale=3, linger=0.5):
    """What the daemon's configuration has after its first limit."""
    return (f"{limits}\n[delivery]\nstale-after = {stale:.1f}\nlinger = {linger:.1f}\n"
            "[privacy]\nreduced-interval = 60\nhistory-size = 65536\n"
            f'[[sources]]\nkind = "gpsd"\nport = {port}\nsilence-timeout = {SILENCE}\n')


class Faults:
    """The faults, and the world they strike."""

    def __init__(self, world):
        self.world = world
        self.receiver, self.gpsd, self.tap = world.receiver, world.gpsd, world.tap
        self.ask = world.administrator.ask
        self.configuration = world.directory / "locationd.toml"
        # When the source, or the way to it, was not as it should be: from, to, CLOCK_MONOTONIC.
        self.troubles = []
        self.ask("SetAuthorization", principal=f"uid:{WAVERING}", authorization="authorizedWhenInUse")
        # From its first client on that may know while its user is here the daemon looks who is logged in, which takes two
        # descriptors: now, so that those at rest are the same throughout.
        with stage.user(WAVERING), contextlib.closing(Client(world.daemon.path)) as client:
            client.call("org.locationd.location.GetStatus")
        for user, authorization, accuracy in (
                (GRANTED, "authorizedAlways", "full"), (REDUCED, "authorizedAlways", "reduced"),
                (DENIED, "denied", "full"), (WAVERING, "authorizedAlways", "full")):
            self.ask("SetAuthorization", principal=f"uid:{user}", authorization=authorization, accuracy=accuracy)

    def trouble(self, began):
        self.troubles.append((began, time.monotonic()))

    def excuse(self, began):
        """What the daemon heard meanwhile may be lost."""
        self.world.watches.books.excuse(began, time.monotonic())
        self.trouble(began)

    def hang_up(self):
        os.kill(self.world.daemon.pid, signal.SIGHUP)

    # The source.

    def gpsd_killed(self):
        began = time.monotonic()
        self.gpsd.kill()
        self.tap.is_open = False
        yield random.uniform(0.1, 8)
        self.gpsd.start()
        while not self.gpsd.listens():
            yield 0.05
        self.tap.is_open = True
        self.trouble(began)

    def gpsd_frozen(self):
        began = time.monotonic()
        self.gpsd.signal(signal.SIGSTOP)
        yield random.uniform(0.5, 12)
        self.gpsd.signal(signal.SIGCONT)
        self.trouble(began)

    def connection_cut(self):
        began = time.monotonic()
        self.tap.is_to_cut = True
        yield 0.1
        self.excuse(began)

    def receiver_silent(self):
        began = time.monotonic()
        self.receiver.is_silent = True
        yield random.uniform(0.5, 8)
        self.receiver.is_silent = False
        self.trouble(began)

    def receiver_noisy(self):
        began = time.monotonic()
        for _ in range(20):
            self.receiver.write(random.randbytes(100))
            yield 0.05
        self.trouble(began)

    def garbage_from_gpsd(self):
        """Lines that are not gpsd's, between those that are; nothing may be lost for them."""
        for _ in range(10):
            self.tap.insertion = random.choice([
                random.randbytes(random.randint(1, 5000)).replace(b"\0", b"0") + b"\n",
                b"x" * 100_000 + b"\n", b"[" * 10_000 + b"\n", b"\n" * 1000, b'{"class":"TPV","mode":3,"lat":1e999,,}\n',
                b'{"class":"TPV","mode":"three","lat":[],"lon":{}}\n', b'{"class":"NEWS","from":"the future"}\n'])
            yield 0.1

    # The service.

    def switched_off(self):
        began = time.monotonic()
        self.ask("Stop")
        yield random.uniform(0.1, 4)
        self.ask("Start")
        self.excuse(began)

    def reloaded(self):
        """Other limits and other times."""
        first, _, _ = self.configuration.read_text().partition("\n[delivery]")
        head = "\n".join(first.splitlines()[:2]) + "\n"
        self.configuration.write_text(head + settings(
            self.tap.port, f"requests-per-second = {random.randint(100, 1000)}", random.uniform(2, 5),
            random.uniform(0.2, 2)))
        self.hang_up()
        yield 0.5

    def reloaded_with_a_mistake(self):
        right = self.configuration.read_text()
        self.configuration.write_text(right + "silence-timeout = -1\n")
        self.hang_up()
        yield 0.5
        self.configuration.write_text(right)

    def policy_changed(self):
        policy = self.configuration.with_name("policy.toml")
        for authorization in ("restricted", "authorizedAlways", "ask"):
            policy.write_text(f'[[rules]]\nuser = {UNDECIDED}\nauthorization = "{authorization}"\n')
            self.ask("Reload")
            yield random.uniform(0.1, 1)

    def authorizations_changed(self):
        for _ in range(random.randint(1, 10)):
            self.ask("SetAuthorization", principal=f"uid:{WAVERING}",
                     authorization=random.choice(["denied", "authorizedAlways", "authorizedWhenInUse"]))
            yield random.uniform(0, 1)
        self.ask("SetAuthorization", principal=f"uid:{WAVERING}", authorization="authorizedAlways")

    def log_levels_changed(self):
        for level in ("trace", "debug", "info", "warning"):
            self.ask("SetLogLevel", level=level)
            yield random.uniform(0.1, 1)

    def guests_vanish(self):
        self.world.guests.tell("vanish")
        yield 0.5

    ALL = [gpsd_killed, gpsd_frozen, connection_cut, receiver_silent, receiver_noisy, garbage_from_gpsd, switched_off,
           reloaded, reloaded_with_a_mistake, policy_changed, authorizations_changed, log_levels_changed, guests_vanish]
