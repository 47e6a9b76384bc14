"""The daemon itself ends under its clients, or finds its own files damaged."""

import os
import shutil
import signal
import time

from faults.fixture import describe_loss, fixture
from library.client import Client

WATCHES = 1000


def expect_recovery(setup, watches):
    """After an end of the daemon all watches have fixes again, and none receives older ones."""
    report, outcome = watches.wait_until_all_served(), setup.outcome
    outcome.recovery = f"{report['recovery'] or 60:.2f} s, all {watches.count}"
    outcome.lost = describe_loss(report)
    setup.expect_all_served(watches, report)
    outcome.expect(report["ends"] <= watches.count, f"{report['ends']} connections ended, of {watches.count} watches")
    setup.expect_no_unreported_loss(report)
    outcome.expect_resources_returned(setup.daemon, growth=8192)


def killed(options):
    """The daemon is killed under 1,000 watches; systemd waits RestartSec before it starts another."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches(WATCHES)
        daemon.kill()
        watches.mark()
        expect_recovery(setup, watches)
        return setup.outcome


def replaced(options):
    """The program is replaced under 1,000 watches, and the daemon is asked to end."""
    with fixture(options) as setup:
        program = setup.directory / "locationd"
        shutil.copy2(options.daemon, program)
        daemon, watches = setup.start_daemon(program=program), setup.open_watches(WATCHES)
        shutil.copy2(options.daemon, setup.directory / "new")
        os.replace(setup.directory / "new", program)
        ends = len(daemon.ends)
        watches.mark()
        os.kill(daemon.pid, signal.SIGTERM)
        expect_recovery(setup, watches)
        daemon.wait_until_ready()
        setup.outcome.expect(daemon.ends[ends:] == [0], f"it ended with {daemon.ends[ends:]}")
        setup.outcome.expect(os.path.samefile(f"/proc/{daemon.pid}/exe", program), "the old program still runs")
        return setup.outcome


def frozen(options):
    """The daemon is stopped for 5 s under 1,000 watches, as on a machine that swaps."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches(WATCHES)
        os.kill(daemon.pid, signal.SIGSTOP)
        time.sleep(5)
        watches.mark()
        os.kill(daemon.pid, signal.SIGCONT)
        watches.wait_until_all_served()
        time.sleep(1)
        report = watches.report()
        setup.outcome.recovery = f"{report['recovery'] or 60:.2f} s after, all {watches.count}"
        setup.expect_no_loss(report)
        setup.outcome.expect_resources_returned(daemon)
        return setup.outcome


# What a file of the state may contain instead, by a power failure for example.
DAMAGES = {
    "empty": b"", "cut off": b'{"version":1,"ena', "garbage": bytes(range(256)) * 64,
    "of a later version": b'{"version":99}', "nested too deeply": b"[" * 60_000, "too long": b" " * 20_000_000}


def damaged_state(options):
    """Every file of the state is empty, cut off, garbage, of a later version, nested deeply or long, one at a time."""
    with fixture(options) as setup:
        setup.start_daemon().close()
        longest, outcome = 0, setup.outcome
        for damage, content in DAMAGES.items():
            for name in ("state.json", "decisions.json", "monitors.json", "history.jsonl"):
                shutil.rmtree(setup.daemon.state)
                setup.daemon.state.mkdir(0o700)
                (setup.daemon.state / name).write_bytes(content)
                (setup.daemon.state / name).chmod(0o600)
                for path in (setup.daemon.path, setup.daemon.control, setup.directory / "notify"):
                    os.unlink(path)
                start = time.monotonic()
                daemon = setup.start_daemon()
                with Client(daemon.control) as administrator, Client(daemon.path) as watch:
                    status = administrator.call("org.locationd.location.GetStatus")["parameters"]["status"]
                    # A service that may have been switched off must not be on.
                    outcome.expect(
                        status["enabled"] is (name != "state.json"),
                        f"with {name} {damage} the switch is {status['enabled']}")
                    administrator.call("org.locationd.admin.Start")
                    fixes = list(next(watch.watch().locations(20), ()))
                    longest = max(longest, time.monotonic() - start)
                    outcome.expect(fixes, f"no fix with {name} {damage}: {daemon.log[-500:]}")
                    outcome.before = outcome.after = daemon.resources()
                    outcome.expect(daemon.starts == 1, f"with {name} {damage} it ended: {daemon.ends}")
                daemon.close()
        outcome.recovery = f"first fix within {longest:.2f} s of a start"
        return outcome


FAULTS = [killed, replaced, frozen, damaged_state]
