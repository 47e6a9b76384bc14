"""The daemon itself ends under its clients, or finds its own files spoilt."""

import os
import shutil
import signal
import time

from library.client import Client
from faults.fixture import scene, words_of_loss

WATCHES = 1000


def returned(stage, watches, outcome):
    """What is promised when a daemon has ended: all watches have fixes again, and none goes backwards."""
    report = watches.await_all()
    outcome.again = f"{report['again'] or 60:.2f} s, all {watches.count}"
    outcome.lost = words_of_loss(report)
    outcome.promise(report["served"] == watches.count, "fixes do not flow again to all within 60 s")
    outcome.promise(report["ends"] <= watches.count, f"{report['ends']} connections ended, of {watches.count} watches")
    stage.nothing_is_untold(report)
    outcome.settle(stage.service, growth=8192)


def killed(options):
    """The daemon is killed under 1,000 watches; systemd waits RestartSec before it starts another."""
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch(WATCHES)
        service.kill()
        watches.mark()
        returned(stage, watches, stage.outcome)
        return stage.outcome


def replaced(options):
    """The program is replaced under 1,000 watches, and the daemon is asked to end."""
    with scene(options) as stage:
        program = stage.directory / "locationd"
        shutil.copy2(options.daemon, program)
        service, watches = stage.serve(program=program), stage.watch(WATCHES)
        shutil.copy2(options.daemon, stage.directory / "new")
        os.replace(stage.directory / "new", program)
        ended = len(service.ends)
        watches.mark()
        os.kill(service.pid, signal.SIGTERM)
        returned(stage, watches, stage.outcome)
        service.await_ready()
        stage.outcome.promise(service.ends[ended:] == [0], f"it ended with {service.ends[ended:]}")
        stage.outcome.promise(os.path.samefile(f"/proc/{service.pid}/exe", program), "the old program runs on")
        return stage.outcome


def frozen(options):
    """The daemon is stopped for 5 s under 1,000 watches, as on a machine that swaps."""
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch(WATCHES)
        os.kill(service.pid, signal.SIGSTOP)
        time.sleep(5)
        watches.mark()
        os.kill(service.pid, signal.SIGCONT)
        report = watches.await_all()
        time.sleep(1)
        report = watches.report()
        stage.outcome.again = f"{report['again'] or 60:.2f} s after, all {watches.count}"
        stage.nothing_is_lost(report)
        stage.outcome.settle(service)
        return stage.outcome


#: What may be found where a file of the state was: all of it nonsense, or cut short by a power failure.
SPOILT = {"nothing": b"", "cut": b'{"version":1,"ena', "nonsense": bytes(range(256)) * 64, "future": b'{"version":99}',
          "deep": b"[" * 60_000, "long": b" " * 20_000_000}


def spoilt(options):
    """Every file of the state is empty, cut, nonsense, of a later version, deep or long, by turns."""
    with scene(options) as stage:
        stage.serve().close()
        longest = 0
        for kind, content in SPOILT.items():
            for name in ("state.json", "decisions.json", "monitors.json", "history.jsonl"):
                shutil.rmtree(stage.service.state)
                stage.service.state.mkdir(0o700)
                (stage.service.state / name).write_bytes(content)
                (stage.service.state / name).chmod(0o600)
                for path in (stage.service.path, stage.service.control, stage.directory / "notify"):
                    os.unlink(path)
                began = time.monotonic()
                service = stage.serve()
                switch = Client(service.control)
                status = switch.call("org.locationd.location.GetStatus")["parameters"]["status"]
                # Who switched the service off must not find it on.
                stage.outcome.promise(
                    status["enabled"] is (name != "state.json"), f"with {name} {kind} the switch is {status['enabled']}")
                switch.call("org.locationd.admin.Start")
                watch = Client(service.path).watch()
                fixes = list(next(watch.locations(20), ()))
                longest = max(longest, time.monotonic() - began)
                stage.outcome.promise(fixes, f"no fix with {name} {kind}: {service.log[-500:]}")
                stage.outcome.before = stage.outcome.after = service.figures()
                stage.outcome.promise(service.starts == 1, f"with {name} {kind} it ended: {service.ends}")
                watch.close()
                switch.close()
                service.close()
        stage.outcome.again = f"first fix within {longest:.2f} s of a start"
        return stage.outcome


FAULTS = [killed, replaced, frozen, spoilt]
