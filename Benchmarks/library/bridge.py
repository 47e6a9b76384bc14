"""The bridge under measurement: locationd-bridge for programs that are written for gpsd."""

import atexit
import contextlib
import pathlib
import socket
import subprocess
import time

from library.daemon import Administrator
from library.harness import stop_process, temporary_directory

# All clients are of one user here, and connect at once.
LIMITS = """[gpsd]
clients = 2000
clients-per-user = 2000
requests-per-second = 10000
"""


class Bridge:
    """A locationd-bridge over the daemon, on a loopback port of its own."""

    def __init__(self, program, daemon):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        # Over TCP root has no right of its own.
        Administrator(daemon).set_authorization(0, "authorizedAlways")
        file = pathlib.Path(temporary_directory(), "bridge.toml")
        file.write_text(LIMITS)
        self.process = subprocess.Popen([
            str(program), "--config", str(file), "--daemon", daemon.control, "--gpsd", f"127.0.0.1:{self.port}",
            "--log-level", "warning"])
        self.pid = self.process.pid
        atexit.register(stop_process, self.process)
        for _ in range(500):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.02)
        raise TimeoutError("locationd-bridge does not listen")
