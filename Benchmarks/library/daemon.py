"""The daemon under measurement, and its administrator."""

import atexit
import subprocess
import time

from library.client import Client
from library.harness import stop_process, wait_for_file

# Lines of the section [limits] that let one user have all the watches of a benchmark.
LIMITS_FOR_MANY_CLIENTS = "clients = 20000\nclients-per-user = 20000\n"


class Daemon:
    """A locationd with its own sockets and state, fed by a scripted gpsd or by the sources of its configuration."""

    def __init__(self, program, gpsd, directory, stalled_timeout=30, configuration="", log=None):
        """The configuration continues the section [limits]. The log goes to standard error unless a file is given."""
        file = directory / "locationd.toml"
        file.write_text(f"[limits]\nstalled-timeout = {stalled_timeout:.1f}\n{configuration}")
        self.path = str(directory / "locationd.sock")
        self.control = str(directory / "control.sock")
        self.process = subprocess.Popen([
            str(program), "--config", str(file), *(["--gpsd", f"127.0.0.1:{gpsd.port}"] if gpsd else []),
            "--runtime-directory", str(directory), "--state-directory", str(directory / "state"),
            "--log-level", "warning"], stderr=log)
        self.pid = self.process.pid
        atexit.register(self.stop)
        wait_for_file(self.path)
        Client(self.path).close()

    def stop(self):
        stop_process(self.process, 15)


class Administrator(Client):
    """A client of the daemon's control socket."""

    def __init__(self, daemon):
        super().__init__(daemon.control)

    def checked_call(self, method, **parameters):
        """The parameters of the reply; an error reply is raised."""
        reply = self.call(f"org.locationd.admin.{method}", **parameters)
        if "error" in reply:
            raise RuntimeError(f"{method} with {parameters} failed: {reply}")
        return reply["parameters"]

    def set_authorization(self, uid, authorization, **parameters):
        """Sets a user's authorization. Returns CLOCK_MONOTONIC just before the call and at its reply, seconds."""
        start = time.monotonic()
        self.checked_call("SetAuthorization", principal=f"uid:{uid}", authorization=authorization, **parameters)
        return start, time.monotonic()

    def statistics(self):
        """The service's counters."""
        return self.checked_call("GetStatistics")["statistics"]
