"""The source of a soak: a receiver, and a tap between real gpsd and the daemon.

The tap sees each line that gpsd tells the daemon; that is what the watches have to get.
"""

import select
import socket
import struct
import threading
import time

from library.terminal import Terminal, epoch

# So often a thread looks whether anything is asked of it, seconds.
GLANCE = 0.02


class Receiver(Terminal, threading.Thread):
    """Drives north and reports `rate` times a second, whoever listens."""

    def __init__(self, rate):
        Terminal.__init__(self, is_blocking=False)
        threading.Thread.__init__(self, daemon=True)
        self.rate = rate
        self.is_silent = False
        self.epochs = 0

    def run(self):
        number = int(time.time() * self.rate)
        while True:
            number += 1
            time.sleep(max(0, number / self.rate - time.time()))
            if not self.is_silent:
                self.write(epoch(number / self.rate, self.epochs))
                self.epochs += 1


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
        # When the daemon went away by itself, and gpsd's last word before, CLOCK_MONOTONIC.
        self.departures = []
        self.last_word = 0.0
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
                        self.departures.append((time.monotonic(), self.last_word))
                        return
                    gpsd.sendall(said)
                if gpsd in ready:
                    if not (said := gpsd.recv(1 << 16)):
                        return
                    *lines, rest = (rest + said).split(b"\n")
                    self.last_word = time.monotonic()
                    for line in lines:
                        self.heard(line)
                    daemon.sendall(b"".join(line + b"\n" for line in lines))
                daemon.sendall(self.insertion)
                self.insertion = b""
        except ConnectionError:
            self.departures.append((time.monotonic(), self.last_word))
            return
        # A reset, and whatever is under way is lost.
        daemon.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
