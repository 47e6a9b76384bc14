"""Debian's gpsd, a process of the benchmark's own."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

SEARCH_PATH = os.environ.get("PATH", "") + ":/usr/sbin"


class GPSD:
    """gpsd on a free port, which can be killed, stopped, continued and started again.

    Without options it opens its receivers when a client watches, as Debian starts it. With -n it keeps them open;
    with -b it only listens to them.
    """

    def __init__(self, directory, *receivers, options=()):
        program = shutil.which("gpsd", path=SEARCH_PATH)
        if not program:
            sys.exit("this needs gpsd of Debian; apt-get install gpsd")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._command = [
            program, "-N", *options, "-S", str(self.port), "-F", str(directory / "gpsd.sock"),
            *(receiver.path for receiver in receivers)]
        # Shown only if gpsd fails: without a D-Bus daemon it always writes something.
        self._log = directory / "gpsd.log"
        self.start()
        atexit.register(self.kill)

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        # A key of its own, so that it leaves the shared memory of this machine's gpsd alone.
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen(
                self._command, env=os.environ | {"GPSD_SHM_KEY": "0x6C660003"}, stdout=log, stderr=log)

    def is_listening(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def wait_until_listening(self):
        """Returns the moment at which it accepted a connection, CLOCK_MONOTONIC."""
        while not self.is_listening():
            if self.process.poll() is not None:
                self.fail(f"ended with {self.process.returncode}")
            time.sleep(0.0005)
        return time.monotonic()

    def fail(self, what):
        """Ends the benchmark with gpsd's log."""
        sys.exit(f"gpsd {what}; its log:\n" + self._log.read_text())

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        """Ends it as systemd does."""
        if self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(15)
