"""The source of a soak: a receiver on a pseudo terminal, real gpsd, and a tap between gpsd and the daemon.

The tap sees each line that gpsd tells the daemon; that is what the watches have to get.
"""

import atexit
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import tty

import stage

sys.path.append(str(stage.HERE.parent / "Tests" / "Booted"))
from receiver import epoch  # noqa: E402

# So often a thread looks whether anything is asked of it, seconds.
GLANCE = 0.02


class Receiver(threading.Thread):
    """Drives north and reports `rate` times a second, whoever listens."""

    def __init__(self, rate):
        super().__init__(daemon=True)
        self.rate = rate
        self.control, terminal = os.openpty()
        tty.setraw(terminal)
        os.set_blocking(self.control, False)
        self.path = os.ttyname(terminal)
        # gpsd gives up being root before it opens it.
        os.chmod(self.path, 0o666)
        self.is_silent = False
        self.epochs = 0

    def write(self, data):
        try:
            os.write(self.control, data)
        except BlockingIOError:
            pass  # Nobody reads; a receiver does not wait for that.

    def run(self):
        number = int(time.time() * self.rate)
        while True:
            number += 1
            time.sleep(max(0, number / self.rate - time.time()))
            if not self.is_silent:
                self.write(epoch(number / self.rate, self.epochs).encode())
                self.epochs += 1


class GPSD:
    """Debian's gpsd, which can be killed and started again."""

    def __init__(self, receiver):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        program = shutil.which("gpsd", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not program:
            sys.exit("gpsd is not there; apt-get install gpsd")
        self.command = [program, "-N", "-b", "-S", str(self.port), receiver.path]
        self.process = None
        atexit.register(self.kill)

    def start(self):
        # Not the segment of memory of a gpsd that serves this machine.
        environment = dict(os.environ, GPSD_SHM_KEY="0x6C660007")
        self.process = subprocess.Popen(self.command, env=environment, stderr=subprocess.DEVNULL)

    def listens(self):
        with socket.socket() as visitor:
            return visitor.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()


class Tap(threading.Thread):
    """Hands on what gpsd and the daemon say to each other; `heard` is told each line of gpsd's before the daemon is.

    It serves one connection at a time, as many as the daemon has, and refuses them while it is not `open`.
    """

    def __init__(self, gpsd_port, heard):
        super().__init__(daemon=True)
        self.gpsd_port = gpsd_port
        self.heard = heard
        self.is_open = True
        self.is_to_cut = False
        # What the daemon hears besides, between two lines of gpsd's.
        self.insertion = b""
        self.connections = 0
        # When the daemon went away by itself, CLOCK_MONOTONIC.
        self.departures = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            if not self.is_open:
                self.listener.close()
                while not self.is_open:
                    time.sleep(GLANCE)
                self.listener = socket.create_server(("127.0.0.1", self.port))
            if not select.select([self.listener], [], [], GLANCE)[0]:
                continue
            daemon, _ = self.listener.accept()
            daemon.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with daemon, socket.socket() as gpsd:
                if gpsd.connect_ex(("127.0.0.1", self.gpsd_port)) == 0:
                    self.connections += 1
                    self.is_to_cut = False
                    self.converse(daemon, gpsd)

    def converse(self, daemon, gpsd):
        """Comes back when one of the two has gone, or the connection was cut."""
        rest = b""
        try:
            while not self.is_to_cut:
                ready, _, _ = select.select([daemon, gpsd], [], [], GLANCE)
                if daemon in ready:
                    if not (said := daemon.recv(4096)):
                        self.departures.append(time.monotonic())
                        return
                    gpsd.sendall(said)
                if gpsd in ready:
                    if not (said := gpsd.recv(1 << 16)):
                        return
                    *lines, rest = (rest + said).split(b"\n")
                    for line in lines:
                        self.heard(line)
                    daemon.sendall(b"".join(line + b"\n" for line in lines))
                daemon.sendall(self.insertion)
                self.insertion = b""
        except ConnectionError:
            self.departures.append(time.monotonic())
            return
        # A reset, and whatever is under way is lost.
        daemon.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
