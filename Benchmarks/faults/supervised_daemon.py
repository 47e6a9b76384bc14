"""A daemon under a replacement for systemd, which holds its sockets and restarts it."""

import os
import re
import resource
import select
import signal
import socket
import subprocess
import threading
import time

from library import harness

UNIT = (harness.REPOSITORY / "systemd" / "locationd.service").read_text()


def unit_setting(name):
    """A number that the unit file sets."""
    return float(re.search(rf"^{name}=(\d+)", UNIT, re.MULTILINE).group(1))


class SupervisedDaemon:
    """Passes sockets by LISTEN_FDS, receives READY=1, and restarts the daemon as locationd.service says: after RestartSec
    if it failed, with the next client if it ended with status 0."""

    def __init__(self, program, directory, configuration, files=None, environment=None, group=None):
        self.program = program
        self.directory = directory
        # This machine may allow less than the unit asks for.
        self.files = files or min(int(unit_setting("LimitNOFILE")), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        self.environment = environment or {}
        self.group = group
        self.state = directory / "state"
        self.path, self.control = str(directory / "location"), str(directory / "control")
        (directory / "locationd.toml").write_text(configuration)
        self.sockets = [self._listen(path) for path in (self.path, self.control)]
        self.notify_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify_socket.bind(str(directory / "notify"))
        self.ready = threading.Event()
        self.starts = 0
        # The exit status of each end, or the negative number of a signal.
        self.ends = []
        self._is_closing = False
        self.process = None
        self.start()
        threading.Thread(target=self._receive_notifications, daemon=True).start()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    @staticmethod
    def _listen(path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen(4096)
        return listener

    def start(self):
        def prepare():
            # Copies with high numbers first, so that neither socket is overwritten while they move to 3 and 4.
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
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=prepare, pass_fds=(3, 4))
        self.starts += 1

    def _receive_notifications(self):
        while not self._is_closing:
            if b"READY=1" in self.notify_socket.recv(4096).split(b"\n"):
                self.ready.set()

    def _supervise(self):
        while True:
            status = self.process.wait()
            self.ends.append(status)
            if self._is_closing:
                return
            if status:
                time.sleep(unit_setting("RestartSec"))
            while not status and not self._is_closing and not select.select(self.sockets, [], [], 0.2)[0]:
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

    def wait_until_ready(self, timeout=30):
        if not self.ready.wait(timeout):
            raise TimeoutError(f"the daemon is not ready: {self.log[-2000:]}")

    def kill(self):
        """Ends it by SIGKILL; returns when it has ended."""
        ends = len(self.ends)
        os.kill(self.pid, signal.SIGKILL)
        self.wait_for_end(ends)

    def wait_for_end(self, ends, timeout=30):
        """Returns once it has ended more than `ends` times."""
        end = time.monotonic() + timeout
        while len(self.ends) <= ends:
            if time.monotonic() > end:
                raise TimeoutError("the daemon does not end")
            time.sleep(0.001)

    def resources(self):
        """Memory in KiB, descriptors and threads."""
        return (harness.resident_kib(self.pid),
                *(len(os.listdir(f"/proc/{self.pid}/{kind}")) for kind in ("fd", "task")))

    def close(self):
        self._is_closing = True
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._supervisor.join(30)
        for descriptor in (*self.sockets, self.notify_socket):
            descriptor.close()
