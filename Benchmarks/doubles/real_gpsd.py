"""Debian's gpsd, of the benchmark's own."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

PATH = os.environ.get("PATH", "") + ":/usr/sbin"


class GPSD:
    """gpsd on a free port; it can be killed, frozen, thawed and started again.

    Without options it opens its receivers when somebody watches, as Debian starts it. With -n it has them open always;
    with -b it only listens to them.
    """

    def __init__(self, directory, *receivers, options=()):
        program = shutil.which("gpsd", path=PATH)
        if not program:
            sys.exit("this needs gpsd of Debian; apt-get install gpsd")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._command = [
            program, "-N", *options, "-S", str(self.port), "-F", str(directory / "gpsd.sock"),
            *(receiver.path for receiver in receivers)]
        # What it says is shown if it fails: on a machine without D-Bus it always says something.
        self._log = directory / "gpsd.log"
        self.start()
        atexit.register(self.kill)

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        # Not the shared memory of a gpsd that serves this machine.
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen(
                self._command, env=os.environ | {"GPSD_SHM_KEY": "0x6C660003"}, stdout=log, stderr=log)

    def listens(self):
        with socket.socket() as visitor:
            return visitor.connect_ex(("127.0.0.1", self.port)) == 0

    def answered(self):
        """Returns the moment at which it took a connection, CLOCK_MONOTONIC."""
        while not self.listens():
            if self.process.poll() is not None:
                self.fail(f"ended with {self.process.returncode}")
            time.sleep(0.0005)
        return time.monotonic()

    def fail(self, what):
        """Ends the benchmark."""
        sys.exit(f"gpsd {what}; it says:\n" + self._log.read_text())

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def end(self):
        """Ends it as systemd does."""
        if self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(15)
