"""Debian's gpsd on a receiver's pseudo terminal: it can be killed, frozen, thawed and started again."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

# Not that of a gpsd which serves this machine.
SHARED_MEMORY = "0x6C660003"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class GPSD:
    def __init__(self, directory, device):
        self.program = shutil.which("gpsd", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not self.program:
            sys.exit("gpsd is not installed; on Debian: apt-get install gpsd")
        self.directory = directory
        self.device = device
        self.port = free_port()
        self.start()

    def start(self):
        """Returns when it can be connected to."""
        with open(self.directory / "gpsd.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "-N", "-b", "-n", "-S", str(self.port), "-F", str(self.directory / "gpsd.sock"),
                 self.device], env={**os.environ, "GPSD_SHM_KEY": SHARED_MEMORY}, stdout=log, stderr=log)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise TimeoutError("gpsd does not listen")

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        self.kill()
