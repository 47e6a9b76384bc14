"""Debian's gpsd in the state in which it knows its receiver."""

import contextlib
import socket
import time

from doubles.real_gpsd import GPSD

WATCH = b'?WATCH={"enable":true,"json":true};\n'


class LearnedGPSD(GPSD):
    """Keeps its receiver open whether or not a client watches, and only listens to it."""

    def __init__(self, receiver, directory):
        super().__init__(directory, receiver, options=("-n", "-b"))
        self.wait_until_listening()
        self._learn(receiver)

    def _learn(self, receiver):
        """Feeds gpsd until it reports each epoch once: it has to detect the receiver's type and where epochs end."""
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(WATCH)
            for _ in range(30):
                receiver.run(10, 10)
                client.settimeout(0.2)
                reports = b""
                with contextlib.suppress(TimeoutError, socket.timeout):
                    while data := client.recv(1 << 20):
                        reports += data
                if reports.count(b'"lat":') == 10:
                    break
            else:
                self.fail("does not report each epoch once")
        self.wait_for_clients(0)

    def wait_for_clients(self, count):
        """Returns once exactly so many clients are connected; ends the benchmark if that takes ten seconds."""
        local = f"0100007F:{self.port:04X}"
        for _ in range(200):
            with open("/proc/net/tcp") as table:
                connected = sum(row.split()[1] == local and row.split()[3] == "01" for row in table)
            if connected == count:
                return
            time.sleep(0.05)
        self.fail(f"has {connected} clients instead of {count}")
