"""A machine for tests of locationd-fleet: the built daemon and the built program over it, with destinations."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

#: A fix a second that the simulator invents.
JOURNEY = '[[sources]]\nkind = "simulator"\nrate = 1\nlatitude = 48.1\nlongitude = 11.5\n'
#: A patience that only ends a test that fails.
PATIENCE = 60


class Machine:
    """Everything in a temporary directory; what it has started ends with it."""

    def __init__(self, binaries, source=JOURNEY):
        self.binaries = pathlib.Path(binaries)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="locationd-fleet-"))
        self.processes, self.destinations = {}, {}
        self.write("locationd.toml", f'[service]\nlog-level = "warning"\n{source}')
        self.start("locationd", "--config", self.directory / "locationd.toml", "--runtime-directory", self.directory / "run",
                   "--state-directory", self.directory / "state")
        # The socket is there before the daemon listens: until it answers, nothing can be reached (3).
        eventually("the daemon answers", lambda: self.locctl("status", "--passive").returncode != 3)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for name in list(self.processes):
            self.end(name)
        if kind:
            print(*(f"{path.name}: {path.read_text(errors='replace')[-3000:]}" for path in self.directory.glob("*.log")), sep="\n", flush=True)
        shutil.rmtree(self.directory)

    @property
    def control(self):
        return f"{self.directory}/run/control.sock"

    @property
    def log(self):
        """What locationd-fleet has logged in all of its runs."""
        return (self.directory / "locationd-fleet.log").read_text(errors="replace")

    @property
    def memory(self):
        """MiB of locationd-fleet that are resident."""
        status = pathlib.Path(f"/proc/{self.processes['locationd-fleet'].pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def write(self, name, content):
        """A file for its owner alone. Returns its path."""
        path = self.directory / name
        path.write_text(content)
        path.chmod(0o600)
        return path

    def add_destination(self, name, url, token=None, **keys):
        """One that the next start of locationd-fleet has; a second one of the name replaces the first."""
        if token:
            keys["token_file"] = str(self.write(f"{name}.token", token + "\n"))
        keys = {"name": name, "url": url, "user": "anna", "device": "boat"} | keys
        self.destinations[name] = keys

    def start_fleet(self):
        def value(it):
            return str(it).lower() if isinstance(it, (bool, int)) else f'"{it}"'

        tables = "".join("[[destinations]]\n" + "".join(f'{key.replace("_", "-")} = {value(it)}\n' for key, it in keys.items())
                         for keys in self.destinations.values())
        self.write("fleet.toml", "[reports]\ninterval = 0\ndistance = 0\n[outbox]\ndrain-rate = 10000\n" + tables)
        self.start("locationd-fleet", "--config", self.directory / "fleet.toml", "--daemon", self.control, "--outbox",
                   self.directory / "outbox.sqlite", "--control", self.directory / "fleet.sock", "--include-simulated")

    def start(self, name, *arguments):
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [self.binaries / name, *arguments], env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)

    def end(self, name, by=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(by)
        try:
            return process.wait(PATIENCE)
        finally:
            process.kill()

    def fleet(self, command, *arguments):
        """What `locctl fleet` prints for an administrator; nothing while the program starts."""
        return self.locctl("fleet", command, "--fleet-socket", self.directory / "fleet.sock", *arguments).stdout

    def restart_fleet(self):
        self.end("locationd-fleet")
        self.start_fleet()

    def locctl(self, *arguments):
        return subprocess.run([self.binaries / "locctl", *arguments], env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "LOCATIOND_SOCKET": self.control},
                              capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def eventually(what, condition, within=PATIENCE):
    """Waits until the condition holds. The pauses only spare the processor; the time-out only ends a test that fails."""
    deadline = time.monotonic() + within
    while not (result := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {within} s"
        time.sleep(0.02)
    return result
