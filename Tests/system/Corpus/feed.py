"""A gpsd of our own and the fake receivers that replay logs to it, made of what gpsd's regression tests are made of.

`gps.fake` splits a log into packets with gpsd's packet sniffer and owns the pseudo-terminal (or the TCP or UDP port)
that gpsd opens. What differs from `gpsfake` is the pace, which is not a fixed delay, and that no write ever blocks.
"""

import asyncio
import ctypes
import os
import random
import shutil
import socket

from gps import fake

from patience import Failure, last_words, launch, reach, stop

#: Seconds between two packets, so that gpsd does not get a whole log in one read.
PACE = 0.002
#: Bits per second the pseudo-terminals claim; gpsd finds any speed, this one without hunting for long.
SPEED = 38400
#: Ports for gpsd: below those that the kernel gives to outgoing connections, which could come between.
PORTS = range(20000, 32000)
#: How gpsd's control socket says that it has done what it was told: 3.22, and 3.25.
ACCEPTED = (b"OK", b'{"class":"ACK"}')
#: From <sys/ipc.h>.
IPC_RMID = 0


class GPSD:
    """One gpsd process: own port, own control socket, own shared memory; it writes nothing to receivers (-b)."""

    def __init__(self, folder):
        self.control = os.path.join(folder, "gpsd.sock")
        self.log = os.path.join(folder, "gpsd.log")
        self.port = _free_port()
        self.shared_memory = 0x47700000 + self.port
        self.process = None

    async def start(self):
        program = shutil.which("gpsd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if not program:
            raise Failure("gpsd is not installed")
        environment = dict(os.environ, GPSD_SHM_KEY="0x%X" % self.shared_memory)
        self.process = launch(
            [program, "-b", "-N", "-S", str(self.port), "-F", self.control], self.log, env=environment)
        try:
            for address in (self.control, self.port):
                _, writer = await reach(address, self.process)
                writer.close()
        except Failure as failure:
            raise Failure("gpsd did not start: " + last_words(self.log)) from failure

    async def stop(self):
        await stop(self.process, 3)
        # gpsd has given up the right to remove its shared memory by then, so it would stay for ever.
        system = ctypes.CDLL(None)
        if (segment := system.shmget(self.shared_memory, 0, 0)) != -1:
            system.shmctl(segment, IPC_RMID, None)

    async def add(self, path):
        """Tells gpsd of a receiver, as a hot-plug script does."""
        reader, writer = await reach(self.control, self.process)
        try:
            writer.write(b"+%s\r\n\0" % path.encode())
            answer = await asyncio.wait_for(reader.read(64), 10)
            if not answer.startswith(ACCEPTED):
                raise Failure("gpsd does not take the receiver %s: %r" % (path, answer))
        finally:
            writer.close()


class Receiver:
    """One log, ready to be played to gpsd through the device `path`."""

    def __init__(self, log):
        try:
            load = fake.TestLoad(log, oneshot=True)
        except fake.TestError as error:
            raise Failure("the log cannot be replayed: %s" % error.msg) from error
        if load.sourcetype == "UDP":
            self.device = fake.FakeUDP(load, "127.0.0.1", fake.freeport(socket.SOCK_DGRAM))
        elif load.sourcetype == "TCP":
            self.device = fake.FakeTCP(load, "127.0.0.1", 0)
        else:
            self.device = fake.FakePTY(load, speed=SPEED)
            os.set_blocking(self.device.fd, False)
        #: The packets in order; the last is the mark at which gpsd closes the device.
        self.packets = load.sentences
        self.path = self.device.byname
        self.delay = max(load.delay, PACE)

    def is_connected(self):
        """True once gpsd can hear what is sent; a TCP receiver must have been called first."""
        self.device.read()
        return not isinstance(self.device, fake.FakeTCP) or self.device.readables != [self.device.dispatcher]

    async def send(self, packet):
        """Sends one packet, waits while gpsd does not read, and keeps the log's pace."""
        self.device.read()
        if isinstance(self.device, fake.FakePTY):
            rest = memoryview(packet)
            while rest:
                try:
                    rest = rest[os.write(self.device.fd, rest):]
                except BlockingIOError:
                    await asyncio.sleep(PACE)
        else:
            self.device.write(packet)
        await asyncio.sleep(self.delay)

    def close(self):
        for descriptor in ("fd", "slave_fd"):
            if hasattr(self.device, descriptor):
                os.close(getattr(self.device, descriptor))
        for opened in {*getattr(self.device, "readables", []), getattr(self.device, "dispatcher", None)}:
            if opened:
                opened.close()


def _free_port():
    while True:
        try:
            with socket.create_server(("127.0.0.1", random.choice(PORTS))) as server:
                return server.getsockname()[1]
        except OSError:
            continue
