"""Debian's gpsd, with a receiver of the benchmark's own."""

import atexit
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time

import stage

WATCH = b'?WATCH={"enable":true,"json":true};\n'


class RealGPSD:
    """gpsd on a free port. It has its receiver open whether or not anybody watches, and only listens to it (-n -b)."""

    def __init__(self, receiver, directory):
        program = shutil.which("gpsd", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            sys.exit("there is no gpsd; apt-get install gpsd")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        # What it says is shown if it fails: on a machine without D-Bus it always says something.
        self._log = directory / "gpsd.log"
        with open(self._log, "w") as log:
            # Not the shared memory of a gpsd that serves this machine.
            self.process = subprocess.Popen(
                [program, "-N", "-n", "-b", "-S", str(self.port), "-F", str(directory / "gpsd.sock"), receiver.path],
                env=os.environ | {"GPSD_SHM_KEY": "0x6C660003"}, stderr=log)
        atexit.register(self.end)
        self.pid = self.process.pid
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        else:
            sys.exit("gpsd does not listen; it says:\n" + self._log.read_text())
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
                sys.exit("gpsd does not tell each epoch once; it says:\n" + self._log.read_text())
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
        sys.exit(f"gpsd has {count} clients, {clients} are meant to be")

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(15)
