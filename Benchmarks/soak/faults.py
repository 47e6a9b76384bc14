"""The faults of a soak.

Each is a generator that yields how many seconds pass before it continues. It ends when the fault is over.
"""

import os
import random
import signal
import time

from library.client import Client
from library.harness import effective_user
from soak.clients import CHANGING_USER, DENIED_USER, GRANTED_USER, REDUCED_USER, UNDECIDED_USER

# The daemon connects anew when gpsd has sent nothing for so many seconds.
SILENCE_TIMEOUT = 5


def configuration(port, limits="", stale_after=3, linger=0.5):
    """The daemon's configuration from its section [limits] on."""
    return (f"{limits}\n[delivery]\nstale-after = {stale_after:.1f}\nlinger = {linger:.1f}\n"
            "[privacy]\nreduced-interval = 60\nhistory-size = 65536\n"
            f'[[sources]]\nkind = "gpsd"\nport = {port}\nsilence-timeout = {SILENCE_TIMEOUT}\n')


class Faults:
    """The faults of one soak."""

    def __init__(self, soak):
        self.soak = soak
        self.receiver, self.gpsd, self.tap = soak.receiver, soak.gpsd, soak.tap
        self.call = soak.administrator.checked_call
        self.configuration_file = soak.directory / "locationd.toml"
        # When the source, or the connection to it, was disturbed: start and end, CLOCK_MONOTONIC.
        self.disturbances = []
        set_authorization = soak.administrator.set_authorization
        set_authorization(CHANGING_USER, "authorizedWhenInUse")
        # With its first client that is authorized while its user is logged in the daemon opens two descriptors to watch
        # logins. It does so now, so that the descriptors at rest are the same throughout.
        with effective_user(CHANGING_USER), Client(soak.daemon.path) as client:
            client.call("org.locationd.location.GetStatus")
        for user, authorization, accuracy in (
                (GRANTED_USER, "authorizedAlways", "full"), (REDUCED_USER, "authorizedAlways", "reduced"),
                (DENIED_USER, "denied", "full"), (CHANGING_USER, "authorizedAlways", "full")):
            set_authorization(user, authorization, accuracy=accuracy)

    def note_disturbance(self, start):
        self.disturbances.append((start, time.monotonic()))

    def excuse(self, start):
        """What gpsd sent meanwhile may be lost."""
        self.soak.watches.record.excuse(start, time.monotonic())
        self.note_disturbance(start)

    def send_hangup(self):
        os.kill(self.soak.daemon.pid, signal.SIGHUP)

    # Of the source

    def gpsd_killed(self):
        start = time.monotonic()
        self.gpsd.kill()
        self.tap.is_open = False
        yield random.uniform(0.1, 8)
        self.gpsd.start()
        while not self.gpsd.is_listening():
            yield 0.05
        self.tap.is_open = True
        self.note_disturbance(start)

    def gpsd_frozen(self):
        start = time.monotonic()
        self.gpsd.signal(signal.SIGSTOP)
        yield random.uniform(0.5, 12)
        self.gpsd.signal(signal.SIGCONT)
        self.note_disturbance(start)

    def connection_cut(self):
        start = time.monotonic()
        self.tap.is_to_cut = True
        yield 0.1
        self.excuse(start)

    def receiver_silent(self):
        start = time.monotonic()
        self.receiver.is_silent = True
        yield random.uniform(0.5, 8)
        self.receiver.is_silent = False
        self.note_disturbance(start)

    def garbage_from_gpsd(self):
        """Invalid lines between those of gpsd, which may not cost any of them."""
        for _ in range(10):
            self.tap.insertion = random.choice([
                random.randbytes(random.randint(1, 5000)).replace(b"\0", b"0") + b"\n",
                b"x" * 100_000 + b"\n", b"[" * 10_000 + b"\n", b"\n" * 1000, b'{"class":"TPV","mode":3,"lat":1e999,,}\n',
                b'{"class":"TPV","mode":"three","lat":[],"lon":{}}\n', b'{"class":"NEWS","from":"the future"}\n'])
            yield 0.1

    # Of the service

    def switched_off(self):
        start = time.monotonic()
        self.call("Stop")
        yield random.uniform(0.1, 4)
        self.call("Start")
        self.excuse(start)

    def reloaded(self):
        """Other limits and times."""
        first, _, _ = self.configuration_file.read_text().partition("\n[delivery]")
        head = "\n".join(first.splitlines()[:2]) + "\n"
        self.configuration_file.write_text(head + configuration(
            self.tap.port, f"requests-per-second = {random.randint(100, 1000)}", random.uniform(2, 5),
            random.uniform(0.2, 2)))
        self.send_hangup()
        yield 0.5

    def reloaded_with_a_mistake(self):
        valid = self.configuration_file.read_text()
        self.configuration_file.write_text(valid + "silence-timeout = -1\n")
        self.send_hangup()
        yield 0.5
        self.configuration_file.write_text(valid)

    def policy_changed(self):
        policy = self.configuration_file.with_name("policy.toml")
        for authorization in ("restricted", "authorizedAlways", "ask"):
            policy.write_text(f'[[rules]]\nuser = {UNDECIDED_USER}\nauthorization = "{authorization}"\n')
            self.call("Reload")
            yield random.uniform(0.1, 1)

    def authorizations_changed(self):
        for _ in range(random.randint(1, 10)):
            self.soak.administrator.set_authorization(
                CHANGING_USER, random.choice(["denied", "authorizedAlways", "authorizedWhenInUse"]))
            yield random.uniform(0, 1)
        self.soak.administrator.set_authorization(CHANGING_USER, "authorizedAlways")

    # Of the clients

    def clients_disconnected(self):
        self.soak.clients.send("disconnect")
        yield 0.5

    ALL = [gpsd_killed, gpsd_frozen, connection_cut, receiver_silent, garbage_from_gpsd, switched_off,
           reloaded, reloaded_with_a_mistake, policy_changed, authorizations_changed, clients_disconnected]
