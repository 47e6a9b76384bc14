"""A daemon of the benchmark's own under a stand-in for systemd: it holds the sockets, and starts again what ended."""

import os
import pathlib
import re
import resource
import select
import signal
import socket
import subprocess
import threading
import time

from library import harness as tools

UNIT = (pathlib.Path(__file__).resolve().parents[2] / "systemd" / "locationd.service").read_text()


def of_unit(name):
    """What the unit says, a number."""
    return float(re.search(rf"^{name}=(\d+)", UNIT, re.MULTILINE).group(1))


class Service:
    """Passes sockets by LISTEN_FDS, hears READY=1 and WATCHDOG=1, and restarts as locationd.service says: after
    RestartSec where it failed, with the next client where it ended as asked."""

    def __init__(self, program, directory, configuration, files=None, environment=None, group=None):
        self.program = program
        self.directory = directory
        # This machine may allow less than the unit asks for.
        self.files = files or min(int(of_unit("LimitNOFILE")), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        self.environment = environment or {}
        self.group = group
        self.state = directory / "state"
        self.path, self.control = str(directory / "location"), str(directory / "control")
        (directory / "locationd.toml").write_text(configuration)
        self.sockets = [self._listening(path) for path in (self.path, self.control)]
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(str(directory / "notify"))
        self.ready = threading.Event()
        self.starts = 0
        #: The exit codes, or the negative numbers of signals, by which it ended.
        self.ends = []
        self._is_closing = False
        self.process = None
        self.start()
        threading.Thread(target=self._hear, daemon=True).start()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    @staticmethod
    def _listening(path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen(4096)
        return listener

    def start(self):
        def passed():
            # Far from where the sockets have to be, in whichever order they come.
            copies = [os.dup2(descriptor.fileno(), 100 + number) for number, descriptor in enumerate(self.sockets)]
            for number, copy in enumerate(copies):
                os.dup2(copy, 3 + number)
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))
            if self.group:
                self.group.enter()

        self.ready.clear()
        if self.group and self.starts:
            self.group.renew()
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", str(self.program),
                 "--config", str(self.directory / "locationd.toml"), "--runtime-directory", str(self.directory),
                 "--state-directory", str(self.state)],
                env={**os.environ, "LISTEN_FDS": "2", "LISTEN_FDNAMES": "location:control",
                     "NOTIFY_SOCKET": str(self.directory / "notify"), **self.environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=passed, pass_fds=(3, 4))
        self.starts += 1

    def _hear(self):
        while not self._is_closing:
            if b"READY=1" in self.notices.recv(4096).split(b"\n"):
                self.ready.set()

    def _supervise(self):
        while True:
            code = self.process.wait()
            self.ends.append(code)
            if self._is_closing:
                return
            if code:
                time.sleep(of_unit("RestartSec"))
            while not code and not self._is_closing and not select.select(self.sockets, [], [], 0.2)[0]:
                pass
            if self._is_closing:
                return
            self.start()

    @property
    def pid(self):
        return self.process.pid

    @property
    def log(self):
        return (self.directory / "log").read_text(errors="replace")

    def await_ready(self, seconds=30):
        if not self.ready.wait(seconds):
            raise TimeoutError(f"the daemon is not ready: {self.log[-2000:]}")

    def kill(self):
        """Ends it without a chance to say good-bye; returns when it is gone."""
        ended = len(self.ends)
        os.kill(self.pid, signal.SIGKILL)
        self.await_end(ended)

    def await_end(self, ended, seconds=30):
        """Returns once it has ended more often than so."""
        until = time.monotonic() + seconds
        while len(self.ends) <= ended:
            if time.monotonic() > until:
                raise TimeoutError("the daemon does not end")
            time.sleep(0.001)

    def figures(self):
        """Memory in KiB, descriptors and threads."""
        return tools.resident_kib(self.pid), *(len(os.listdir(f"/proc/{self.pid}/{kind}")) for kind in ("fd", "task"))

    def close(self):
        self._is_closing = True
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._supervisor.join(30)
        for descriptor in (*self.sockets, self.notices):
            descriptor.close()
