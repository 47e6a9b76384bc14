"""A machine for tests of locationd-fleet: the built daemon, and the built program over it with its destinations."""

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
        self.control = f"{self.directory}/run/control.sock"
        self.environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "LOCATIOND_SOCKET": self.control}
        self.processes, self.destinations = {}, {}
        self.start_daemon(source)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for name in list(self.processes):
            self.end(name)
        for log in self.directory.glob("*.log") if kind else ():
            print(f"{log.name}: {log.read_text(errors='replace')[-3000:]}", flush=True)
        shutil.rmtree(self.directory)

    @property
    def log(self):
        """What locationd-fleet has logged in all of its runs."""
        return (self.directory / "locationd-fleet.log").read_text(errors="replace")

    def process_file(self, name):
        """What /proc has of locationd-fleet."""
        return pathlib.Path(f"/proc/{self.processes['locationd-fleet'].pid}/{name}").read_text()

    def write(self, name, content):
        """A file for its owner alone. Returns its path."""
        path = self.directory / name
        path.write_text(content)
        path.chmod(0o600)
        return path

    def start_daemon(self, source):
        self.write("locationd.toml", f'[service]\nlog-level = "warning"\n{source}')
        self.start("locationd", "--config", self.directory / "locationd.toml", "--runtime-directory",
                   self.directory / "run", "--state-directory", self.directory / "state")
        # The socket is there before the daemon listens: until it answers, nothing can be reached (3).
        eventually("the daemon answers", lambda: self.locctl("status", "--passive").returncode != 3)

    def add_destination(self, name, url, token=None, **keys):
        """One that the next start of locationd-fleet has; a second one of the name replaces the first."""
        if token:
            keys["token_file"] = self.write(f"{name}.token", token + "\n")
        self.destinations[name] = {"name": name, "url": url, "user": "anna", "device": "boat"} | keys

    def start_fleet(self):
        text = "[reports]\ninterval = 0\ndistance = 0\n[outbox]\ndrain-rate = 10000\n"
        for keys in self.destinations.values():
            text += "[[destinations]]\n"
            for key, value in keys.items():
                text += f"{key.replace('_', '-')} = " + ("true\n" if value is True else f'"{value}"\n')
        self.start("locationd-fleet", "--config", self.write("fleet.toml", text), "--daemon", self.control, "--outbox",
                   self.directory / "outbox.sqlite", "--control", self.directory / "fleet.sock", "--include-simulated")

    def restart_fleet(self):
        self.end("locationd-fleet")
        self.start_fleet()

    def start(self, name, *arguments):
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen([self.binaries / name, *arguments], env=self.environment,
                                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, name, by=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(by)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()

    def locctl(self, *arguments):
        return subprocess.run([self.binaries / "locctl", *arguments], env=self.environment, capture_output=True,
                              text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)

    def fleet(self, command, *arguments):
        """What `locctl fleet` prints for an administrator; nothing while the program starts."""
        return self.locctl("fleet", command, "--fleet-socket", self.directory / "fleet.sock", *arguments).stdout


def eventually(what, condition, within=PATIENCE):
    """Waits until the condition holds. The pauses only spare the processor; the time-out only ends a test that fails.
    """
    deadline = time.monotonic() + within
    while not (result := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {within} s"
        time.sleep(0.02)
    return result
