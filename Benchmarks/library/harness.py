"""What the benchmarks share: the C programs, the daemon, its administrator, and the measures of a process."""

import atexit
import contextlib
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from library.client import Client

HERE = pathlib.Path(__file__).resolve().parents[1]
BUILT = HERE.parent / ".build" / "release" / "locationd"
# So that one user may have all the watches of a benchmark; of the configuration's limits.
LIMITS = "clients = 20000\nclients-per-user = 20000\n"


def folder():
    """A directory that goes with this program; other users may look into it."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="locationd-bench-"))
    path.chmod(0o755)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def compiled(name, into, *flags):
    """Builds NAME.c and returns the program's path."""
    program = into / name
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", program, HERE / "native" / f"{name}.c", *flags], check=True)
    return program


def allow_many_files():
    """Raises the limit of open files as far as it goes; children inherit it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def cpu_seconds(pid):
    """User and system time of the process, in nanosecond steps: its CPU clock, as clock_getcpuclockid(3) names it."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def resident_kib(pid, what="VmRSS"):
    """The process' memory, KiB; `RssAnon` is what it has allocated, without the pages of its program."""
    for entry in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if entry.startswith(what + ":"):
            return int(entry.split()[1])
    raise ProcessLookupError(pid)


def machine():
    """One line on what the figures were taken on, and how busy it was."""
    entries = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((entry.split(":", 1)[1].strip() for entry in entries if entry.startswith("model name")), "?")
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} x {model}, Linux {os.uname().release}, load {load}"


def quantile(values, share):
    """The least of the values that at least this share of them does not exceed; not a number if there are none."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def need_root():
    """Ends the program unless it can act for several users."""
    if os.geteuid() != 0:
        sys.exit("this measures what one user notices of another, and only root can be both; run it as root")


@contextlib.contextmanager
def user(uid):
    """Connections made meanwhile are that user's; the kernel notes who connects."""
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def become(uid):
    """This process is that user's from here on."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def wait_for(path):
    """Returns when there is such a file, or after ten seconds."""
    for _ in range(1000):
        if os.path.exists(path):
            return
        time.sleep(0.01)


class Child:
    """A program that says "ready" when it is and takes commands by the line."""

    def __init__(self, *command, wait=True, directory=None):
        self.process = subprocess.Popen(
            [str(word) for word in command], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.end)
        if wait:
            self.expect("ready")

    def expect(self, word):
        answer = self.process.stdout.readline().strip()
        if answer != word:
            raise RuntimeError(f"{self.process.args[0]} said {answer!r} and not {word!r}")

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, question):
        """What it answers by a line of JSON."""
        self.tell(question)
        return json.loads(self.process.stdout.readline())

    def end(self):
        """Ends it by the end of its input."""
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(10)


class Readers(Child):
    """readers.c; `report` reads its books. With `moments`, latency is since then, found by the key."""

    def __init__(self, program, place, clients, *request, moments=None, by_sequence=False):
        options = ["-m", moments.path, *(["-s"] if by_sequence else [])] if moments else []
        super().__init__(program, *options, place, clients, *request)

    def report(self, fresh=False):
        return self.ask("fresh" if fresh else "report")

    def counts(self):
        """The books without latency, which cost next to nothing while messages are on their way."""
        return self.ask("counts")

    def told(self):
        """What the clients were last told about themselves."""
        return self.ask("told")

    def each(self):
        """Of each client, how many locations it has read or was told it has lost."""
        return self.ask("each")

    def samples(self):
        """Of each message since the books of latency began, the slot of its moment and its latency, seconds."""
        return self.ask("samples")

    def answered(self, clients):
        """Returns once every client has had its first message."""
        for _ in range(600):
            books = self.counts()
            if books["received"] + books["others"] >= clients:
                return
            time.sleep(0.05)
        raise TimeoutError(f"not every client was answered: {books}")

    def awaited(self, received, patience=10):
        """The books once so many messages have come; as they are when the patience ends."""
        end = time.monotonic() + patience
        while self.counts()["received"] < received and time.monotonic() < end:
            time.sleep(0.05)
        return self.report()


class Daemon:
    """A locationd of the benchmark's own, fed by a scripted gpsd or by what the rest of its configuration says."""

    def __init__(self, program, gpsd, directory, stalled_timeout=30, rest="", log=None):
        """The rest of the configuration begins with further limits. The log goes to a file, if one is given."""
        configuration = directory / "locationd.toml"
        configuration.write_text(f"[limits]\nstalled-timeout = {stalled_timeout:.1f}\n{rest}")
        self.path = str(directory / "locationd.sock")
        self.control = str(directory / "control.sock")
        self.process = subprocess.Popen([
            str(program), "--config", str(configuration), *(["--gpsd", f"127.0.0.1:{gpsd.port}"] if gpsd else []),
            "--runtime-directory", str(directory), "--state-directory", str(directory / "state"),
            "--log-level", "warning"], stderr=log)
        self.pid = self.process.pid
        atexit.register(self.end)
        wait_for(self.path)
        Client(self.path).close()

    def end(self):
        """Ends it as the administrator would."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(15)


class Administrator(Client):
    """Decides who may know the position."""

    def __init__(self, daemon):
        super().__init__(daemon.control)

    def ask(self, method, **parameters):
        """The parameters of the answer, which may be no error."""
        reply = self.call(f"org.locationd.admin.{method}", **parameters)
        if "error" in reply:
            raise RuntimeError(f"{method} with {parameters} was refused: {reply}")
        return reply["parameters"]

    def decide(self, uid, authorization, **more):
        """Decides about a user. Returns CLOCK_MONOTONIC just before the call and when it was answered, seconds."""
        began = time.monotonic()
        self.ask("SetAuthorization", principal=f"uid:{uid}", authorization=authorization, **more)
        return began, time.monotonic()

    def statistics(self):
        """What the service has counted."""
        return self.ask("GetStatistics")["statistics"]
