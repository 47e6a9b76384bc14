"""A Debian of its own: systemd boots in a container, on a throw-away overlay over a prepared tree."""

import os
import pathlib
import signal
import subprocess

from older_kernel import refuse_newer_calls
from patience import PATIENCE, Failure, until
from program import Program, end

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}


class Machine:
    """Booted by `with`, and gone with all it has written at the end of it."""

    def __init__(self, tree, mounts, log, has_older_kernel=False):
        self.tree = tree
        self.mounts = mounts
        self.log = log
        self.has_older_kernel = has_older_kernel
        self.name = f"booted-{os.getpid()}"
        self.programs = []
        self.group = _unified_hierarchy() / self.name

    def __enter__(self):
        self.group.mkdir()
        try:
            self._boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _boot(self):
        with open(self.log, "w") as log:
            # Without all capabilities and bpf the kernel would silently not enforce IPAddressDeny.
            # The kernel's modules are those of the machine outside.
            self.container = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--directory", self.tree, "--volatile=overlay", "--register=no",
                 "--keep-unit", "--private-network", "--machine", self.name, "--console=pipe", "--capability=all",
                 "--drop-capability=CAP_SYS_MODULE", "--system-call-filter=bpf",
                 *(f"--bind-ro={place}:{inside}" for place, inside in self.mounts.items()), "--boot"],
                env=dict(os.environ, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY="1"), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log,
                preexec_fn=self._confine)
        children = pathlib.Path(f"/proc/{self.container.pid}/task/{self.container.pid}/children")

        def listens():
            if self.container.poll() is not None:
                raise Failure("the container ended:\n" + pathlib.Path(self.log).read_text())
            # Asked anew each time: nspawn's first child is not the one that becomes the machine's first process.
            for self.leader in children.read_text().split():
                return subprocess.run(
                    ["nsenter", "-t", self.leader, "-m", "-p", "test", "-S", "/run/systemd/private"],
                    stderr=subprocess.DEVNULL).returncode == 0

        until("systemd listens", listens)
        self.run("systemctl", "is-system-running", "--wait")

    def _confine(self):
        (self.group / "cgroup.procs").write_text(str(os.getpid()))
        if self.has_older_kernel:
            refuse_newer_calls()

    def __exit__(self, *_):
        container = getattr(self, "container", None)
        if container:
            self._power_off(container)

        def is_gone():
            # The kernel kills what was in the container; its groups can be removed when all have died.
            try:
                if not self.group.exists():
                    return True
                (self.group / "cgroup.kill").write_text("1")
                for folder in sorted(self.group.rglob("*/"), reverse=True):
                    folder.rmdir()
                self.group.rmdir()
                return True
            except OSError:
                return False

        until("the container's processes are gone", is_gone)

    def _power_off(self, container):
        # The kernel keeps the container until those who started its processes have seen their end.
        for program in self.programs:
            program.end()
        if hasattr(self, "leader"):
            # With the first process all others die, and nspawn removes the overlay.
            os.kill(int(self.leader), signal.SIGKILL)
        try:
            container.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            container.kill()
            container.wait()

    def command(self, command, user):
        who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        environment = [f"{key}={value}" for key, value in ENVIRONMENT.items()]
        return ["nsenter", "-t", self.leader, "-a", "env", "-i", *environment, *who, *command]

    def attempt(self, *command, user=None):
        """Runs a command to its end, and gives code and outputs."""
        process = subprocess.Popen(
            self.command(command, user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        try:
            output, errors = process.communicate(timeout=2 * PATIENCE)
        except subprocess.TimeoutExpired as error:
            end(process)
            raise Failure(f"not within {2 * PATIENCE} s: {' '.join(command)}") from error
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def run(self, *command, user=None):
        """Runs a command that has to succeed, and gives its output."""
        result = self.attempt(*command, user=user)
        if result.returncode != 0:
            raise Failure(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def start(self, *command, user=None):
        self.programs.append(Program(self.command(command, user)))
        return self.programs[-1]

    def shows(self, unit, *properties):
        """What systemd says of a unit, in the order asked for."""
        lines = self.run("systemctl", "show", unit, *(f"--property={name}" for name in properties)).splitlines()
        values = dict(line.split("=", 1) for line in lines)
        return values[properties[0]] if len(properties) == 1 else [values[name] for name in properties]

    def write(self, path, text):
        """Makes a file, and the folders it needs."""
        self.run("sh", "-c", 'mkdir -p "$(dirname "$0")" && printf %s "$1" >"$0"', path, text)


def _unified_hierarchy():
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return pathlib.Path(place)
    raise Failure("no unified control group hierarchy is mounted; a systemd cannot be booted here")
