"""The bridge under measurement: locationd-bridge for programs that are written for gpsd."""

import atexit
import contextlib
import socket
import subprocess
import time

from library.harness import stop_process


class Bridge:
    """A locationd-bridge over the daemon, on a loopback port of its own."""

    def __init__(self, program, daemon):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.process = subprocess.Popen([
            str(program), "--daemon", daemon.control, "--gpsd", f"127.0.0.1:{self.port}", "--log-level", "warning"])
        self.pid = self.process.pid
        atexit.register(stop_process, self.process)
        for _ in range(500):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.02)
        raise TimeoutError("locationd-bridge does not listen")
