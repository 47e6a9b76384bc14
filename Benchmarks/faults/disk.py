"""The disk of the state directory is full, read-only, or does not answer."""

import json
import os
import pathlib
import signal
import subprocess
import time

from faults.fixture import fixture
from library.client import Client

# Where the kernel lets an error be triggered.
EXT4_CONTROL = pathlib.Path("/sys/fs/ext4")


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def fill(directory):
    """Takes all the space that is left."""
    with open(directory / "filler", "ab", buffering=0) as file:
        try:
            while file.write(bytes(512)):
                pass
        except OSError:
            pass


def call_administrator(daemon, method):
    with Client(daemon.control) as client:
        return client.call(f"org.locationd.admin.{method}")


def small_state(setup):
    """A state directory of 64 KiB."""
    state = setup.directory / "state"
    state.mkdir(0o700)
    mount("-t", "tmpfs", "-o", "size=64k,mode=700", "none", state)
    setup.stack.callback(subprocess.run, ["umount", "-l", str(state)])
    return state


def ext4_state(setup):
    """A state directory on an ext4 of its own that becomes read-only by an error."""
    state, image = setup.directory / "state", setup.directory / "image"
    state.mkdir()
    with open(image, "wb") as file:
        file.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-e", "remount-ro", str(image)], check=True)
    mount("-o", "loop", image, state)
    setup.stack.callback(subprocess.run, ["umount", "-l", str(state)])
    state.chmod(0o700)
    return state


def unwritable(setup, damage, repair):
    """The state cannot be written for 8 s of service, and then it can, if there is a `repair`."""
    outcome, daemon = setup.outcome, setup.daemon
    watches = setup.open_watches()
    damage()
    watches.mark()
    time.sleep(4)
    reply = call_administrator(daemon, "Start")
    outcome.expect("error" in reply, f"a decision that cannot be stored was answered {reply}")
    time.sleep(4)
    outcome.expect("cannot be persisted" in daemon.log, "the log does not say that the state cannot be persisted")
    if repair:
        repair()
        reply = call_administrator(daemon, "Start")
        outcome.expect("error" not in reply, f"after the repair a decision was answered {reply}")
        state = json.loads((daemon.state / "state.json").read_text())
        outcome.expect(state["enabled"] is True, "the state on the disk is not that of the daemon")
    report = watches.wait_until_all_served()
    outcome.recovery = "not interrupted"
    setup.expect_no_loss(report)
    outcome.expect_resources_returned(daemon)
    return outcome


def full(options):
    """The disk is full while the daemon runs, and has space again after 8 s."""
    with fixture(options) as setup:
        state = small_state(setup)
        setup.start_daemon()
        return unwritable(setup, lambda: fill(state), lambda: (state / "filler").unlink())


def full_at_start(options):
    """The disk is full before the daemon first starts."""
    with fixture(options) as setup:
        state = small_state(setup)
        fill(state)
        setup.start_daemon()
        return unwritable(setup, lambda: None, lambda: (state / "filler").unlink())


def read_only(options):
    """ext4 meets an error while the daemon runs and becomes read-only, until it is checked."""
    with fixture(options) as setup:
        state = ext4_state(setup)
        setup.start_daemon()
        number = state.stat().st_dev
        device = os.path.basename(os.path.realpath(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"))
        trigger = EXT4_CONTROL / device / "trigger_fs_error"
        return unwritable(setup, lambda: trigger.write_text("a benchmark"), None)


def read_only_at_start(options):
    """The file system is read-only before the daemon first starts."""
    with fixture(options) as setup:
        state = small_state(setup)
        mount("-o", "remount,ro", "none", state)
        setup.start_daemon()
        return unwritable(setup, lambda: None, lambda: mount("-o", "remount,rw", "none", state))


def hung(options):
    """The disk does not answer for 10 s of service, and then the daemon is asked to end."""
    with fixture(options) as setup:
        state = ext4_state(setup)
        daemon, watches = setup.start_daemon(), setup.open_watches()
        outcome = setup.outcome
        subprocess.run(["fsfreeze", "-f", str(state)], check=True)
        is_frozen = True
        try:
            watches.mark()
            # Something for the daemon to store; the reply is not awaited.
            waiting = Client(daemon.control)
            waiting.socket.sendall(b'{"method":"org.locationd.admin.Start","parameters":{}}\0')
            time.sleep(10)
            report = watches.wait_until_all_served()
            setup.expect_no_loss(report)
            outcome.expect("error" not in call_administrator(daemon, "ListClients"), "the administrator is not served")
            daemon.resources()
            ends, start = len(daemon.ends), time.monotonic()
            os.kill(daemon.pid, signal.SIGTERM)
            while watches.report()["ends"] < watches.count and time.monotonic() < start + 30:
                time.sleep(0.01)
            disconnected = time.monotonic() - start
            outcome.expect(disconnected < 6, f"the watches are disconnected after {disconnected:.1f} s")
            outcome.remark(f"asked to end, it disconnects its watches after {disconnected:.2f} s")
            while not has_exited(daemon.pid) and time.monotonic() < start + 30:
                time.sleep(0.05)
            exited = time.monotonic() - start
            outcome.expect(exited < 15, f"it has not exited after {exited:.1f} s, and systemd waits for 15")
            outcome.remark(f"it exits after {exited:.1f} s")
            subprocess.run(["fsfreeze", "-u", str(state)], check=True)
            is_frozen = False
            daemon.wait_for_end(ends)
        finally:
            if is_frozen:
                subprocess.run(["fsfreeze", "-u", str(state)], check=True)
        watches.mark()
        report = watches.wait_until_all_served()
        outcome.recovery = f"not interrupted; {report['recovery'] or 60:.2f} s after the end"
        setup.expect_all_served(watches, report)
        outcome.expect_resources_returned(daemon)
        return outcome


def has_exited(pid):
    """True once nothing but a wait for the disk keeps the process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                return True
        threads = os.listdir(f"/proc/{pid}/task")
        return all(has_thread_exited(pid, thread) for thread in threads)
    except FileNotFoundError:
        return True


def has_thread_exited(pid, thread):
    """True if the thread has exited, or will when the disk answers: in both cases it runs no code of the daemon."""
    try:
        with open(f"/proc/{pid}/task/{thread}/status") as file:
            status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    except FileNotFoundError:
        return True
    is_killed = int(status["SigPnd"], 16) >> (signal.SIGKILL - 1) & 1
    return status["State"][0] in "ZX" or status["State"][0] == "D" and is_killed


FAULTS = [full, full_at_start, read_only, read_only_at_start, hung]
