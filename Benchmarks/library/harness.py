"""What every benchmark is built of: its options, directories, C programs, users, and the measures of a process."""

import argparse
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

BENCHMARKS = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = BENCHMARKS.parent
RELEASE_BUILD = REPOSITORY / ".build" / "release"


def argument_parser(documentation, with_daemon=True):
    """The parser of a command's options, described by the first line of its documentation."""
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    if with_daemon:
        parser.add_argument("--daemon", default=RELEASE_BUILD / "locationd", help="a release build of the daemon")
    return parser


def exit_if_failed(failures):
    """Ends the command with status 1 and a message if there are any failures."""
    if failures:
        sys.exit("failed: " + "; ".join(failures))


def temporary_directory():
    """A directory that is removed when this program ends. Other users may read it."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="locationd-bench-"))
    path.chmod(0o755)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def wait_for_file(path):
    """Returns when the file exists, or after ten seconds."""
    for _ in range(1000):
        if os.path.exists(path):
            return
        time.sleep(0.01)


# Programs


def compile_program(name, directory, *flags):
    """Compiles native/NAME.c into the directory and returns the program's path."""
    program = directory / name
    compiler = os.environ.get("CC", "cc")
    source = BENCHMARKS / "native" / f"{name}.c"
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", program, source, *flags], check=True)
    return program


def stop_process(process, seconds=10):
    """Terminates the process, if it still runs, and waits until it has ended."""
    if process.poll() is None:
        process.terminate()
        process.wait(seconds)


class ChildProgram:
    """A program that prints "ready" when it is, and takes one command per line."""

    def __init__(self, *command, wait=True, directory=None):
        self.process = subprocess.Popen(
            [str(word) for word in command], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.stop)
        if wait:
            self.expect("ready")

    def expect(self, word):
        """Waits for a line with this word; any other line is an error."""
        line = self.process.stdout.readline().strip()
        if line != word:
            raise RuntimeError(f"{self.process.args[0]} printed {line!r} instead of {word!r}")

    def send(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def query(self, command):
        """Sends the command and returns the line of JSON that answers it."""
        self.send(command)
        return json.loads(self.process.stdout.readline())

    def stop(self):
        """Closes its input, which ends it."""
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(10)


# Limits and users


def raise_open_file_limit():
    """Raises the limit of open files to the hard limit; child processes inherit it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def require_root():
    """Ends the command unless it runs as root."""
    if os.geteuid() != 0:
        sys.exit("this benchmark acts for several users, which only root can do; run it as root")


@contextlib.contextmanager
def effective_user(uid):
    """Connections that are made in the block have this user's credentials."""
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


def become_user(uid):
    """Gives up root: this process runs as the user from here on."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


# Measures


def cpu_seconds(pid):
    """User and system time of the process, read from its CPU clock as clock_getcpuclockid(3) defines it."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def resident_kib(pid, field="VmRSS"):
    """The resident memory of the process, KiB; `RssAnon` leaves out the pages of its program and libraries."""
    for entry in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if entry.startswith(field + ":"):
            return int(entry.split()[1])
    raise ProcessLookupError(pid)


def describe_machine():
    """One line with the processor, the kernel and the present load."""
    entries = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((entry.split(":", 1)[1].strip() for entry in entries if entry.startswith("model name")), "?")
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} x {model}, Linux {os.uname().release}, load {load}"


def quantile(values, share):
    """The smallest value that at least this share of the values does not exceed; NaN if there are no values."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def format_percentiles(values, unit=1e-3, digits=2):
    """`p50/p99/max` of the values, in the unit: milliseconds of seconds unless given."""
    return "/".join(f"{quantile(values, share) / unit:.{digits}f}" for share in (0.5, 0.99, 1))
