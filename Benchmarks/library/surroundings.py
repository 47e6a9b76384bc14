"""The programs around the daemon under measurement: bridge, pages, and GeoClue's interface on a bus of their own."""

import atexit
import os
import socket
import subprocess
import time

from library import harness
from library.client import Client

# A bus as the system's, without any restriction.
BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
  <limit name="max_connections_per_user">512</limit>
</busconfig>
"""
# MemoryMax of the units.
MEMORY_MAX_KIB = 256 * 1024


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Surroundings:
    """locationd-bridge for gpsd's protocol, another one for GeoClue's interface, and locationd-web."""

    def __init__(self, daemon, directory, binaries):
        self.directory, self.gpsd, self.pages = directory, free_port(), free_port()
        path = str(directory / "bus")
        self.bus = f"unix:path={path}"
        (directory / "bus.conf").write_text(BUS_CONFIGURATION.format(path=path))
        self.programs = {}
        self.start("bus", ["dbus-daemon", "--config-file", str(directory / "bus.conf"), "--nofork", "--nopidfile"])
        harness.wait_for_file(path)
        self.links = str(directory / "web.sock")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.links)
        os.chmod(self.links, 0o666)
        listener.listen(64)
        common = ["--daemon", daemon.control, "--log-level", "error"]
        self.start("bridge", [str(binaries / "locationd-bridge"), *common, "--gpsd", f"127.0.0.1:{self.gpsd}"])
        self.start("geoclue", [str(binaries / "locationd-bridge"), *common, "--geoclue"],
                   DBUS_SYSTEM_BUS_ADDRESS=self.bus)
        self.start("web", [str(binaries / "locationd-web"), *common, "--listen", f"127.0.0.1:{self.pages}"], listener)
        for port in (self.gpsd, self.pages):
            self.wait_for_port(port)

    def start(self, name, command, listener=None, **environment):
        def pass_listener():
            os.dup2(listener.fileno(), 3)

        if listener:
            # systemd's protocol.
            environment |= {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "link"}
            command = ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *command]
        process = subprocess.Popen(
            command, env=os.environ | environment, stdout=subprocess.DEVNULL, close_fds=listener is None,
            preexec_fn=pass_listener if listener else None)
        atexit.register(harness.stop_process, process)
        self.programs[name] = process

    @staticmethod
    def wait_for_port(port):
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise TimeoutError(f"nothing listens at port {port}")

    def link(self):
        """A link for the user of this process."""
        with Client(self.links) as client:
            reply = client.call("org.locationd.web.CreateLink")
        return reply["parameters"]["url"]

    def failures(self):
        """Programs that have ended, and those that need more than half of what their units allow."""
        for name, process in self.programs.items():
            if process.poll() is not None:
                yield f"{name} has ended"
            elif name != "bus" and (peak := harness.resident_kib(process.pid, "VmHWM")) > MEMORY_MAX_KIB / 2:
                yield f"{name} has used {peak // 1024} MiB"

    def peaks(self):
        """The most memory that each has used, MiB."""
        return ", ".join(f"{name} {harness.resident_kib(process.pid, 'VmHWM') / 1024:.0f} MiB"
                         for name, process in self.programs.items() if name != "bus")
