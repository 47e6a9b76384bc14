"""Debian's gpsd when it knows its receiver."""

import contextlib
import socket
import time

from doubles.real_gpsd import GPSD

WATCH = b'?WATCH={"enable":true,"json":true};\n'


class LearnedGPSD(GPSD):
    """Has its receiver open whether or not anybody watches, and only listens to it."""

    def __init__(self, receiver, directory):
        super().__init__(directory, receiver, options=("-n", "-b"))
        self.answered()
        self._learn(receiver)

    def _learn(self, receiver):
        """Feeds it until each epoch is told once: it has to find out what the receiver is, and how its epochs end."""
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(WATCH)
            for _ in range(30):
                receiver.run(10, 10)
                client.settimeout(0.2)
                told = b""
                with contextlib.suppress(TimeoutError, socket.timeout):
                    while data := client.recv(1 << 20):
                        told += data
                if told.count(b'"lat":') == 10:
                    break
            else:
                self.fail("does not tell each epoch once")
        self.connected(0)

    def connected(self, clients):
        """Returns once so many clients are connected; ends the benchmark if there are others for long."""
        local = f"0100007F:{self.port:04X}"
        for _ in range(200):
            with open("/proc/net/tcp") as table:
                count = sum(row.split()[1] == local and row.split()[3] == "01" for row in table)
            if count == clients:
                return
            time.sleep(0.05)
        self.fail(f"has {count} clients, {clients} are meant to be")
