"""locationd-fleet at servers that receive by HTTP, on their bad days, and killed again and again with reports that wait.

    run.py --binaries DIR [--kills NUMBER] [--reports NUMBER] [CHECK ...]

Exit status: 0 if all holds, 1 if not, which is printed.
"""

import argparse
import json
import random
import signal
import statistics
import sys
import time
import traceback

import stubs
from fleet_machine import Machine, eventually

#: What a server does on a bad day, and the most requests it is sent on the first two seconds of it.
BAD_DAYS = {"too many": (429, {"Retry-After": "1"}), "unavailable": (503, {"Retry-After": "1"}), "broken": (500, {}),
            "endless": "endless", "slow": "slow", "silent": "silent", "closed": "closed", "unread": "unread"}
#: Seconds after which a report is late.
LATE = 2
#: Seconds in which an outage that is over is noticed, the longest pause between two tries among them.
RECOVERY = 400


class Servers:
    """Traccar and the Recorder, and a machine that reports to both."""

    def __init__(self, arguments, **options):
        self.traccar, self.recorder = stubs.traccar("boat"), stubs.recorder()
        self.machine = Machine(arguments.binaries, **options)
        self.machine.add_destination("traccar", f"traccar+http://127.0.0.1:{self.traccar.server_port}")
        self.machine.add_destination("recorder", f"owntracks+http://127.0.0.1:{self.recorder.server_port}/pub")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.machine.__exit__(*exception)
        for stub in (self.traccar, self.recorder):
            stub.close()


def expect_order(stub):
    keys = stub.keys
    assert keys == sorted(keys), f"out of order: {[pair for pair in zip(keys, keys[1:]) if pair[0] > pair[1]][:3]}"


def expect_justified(stub, ends):
    """A report arrives twice only if no answer was read: it was the last one of a connection that then ended. Returns how many."""
    last = {report.connection: report.key for report in stub.received}
    seen, again = {}, 0
    for report in stub.received:
        if (before := seen.get(report.key)) is not None:
            assert last[before.connection] == report.key and before.connection != report.connection, f"{report} after {before}"
            again += 1
        seen[report.key] = report
    assert again <= ends, f"{again} reports arrived twice after {ends} ends"
    return again


def a_bad_day_delays_nobody_else(arguments):
    with Servers(arguments) as servers:
        good, bad, machine, remarks = servers.traccar, servers.recorder, servers.machine, []
        machine.start_fleet()
        for stub in (good, bad):
            stub.await_reports(3, within=30)
        before = machine.memory
        for name, mode in BAD_DAYS.items():
            bad.mode = mode
            count = len(good.received)
            eventually(f"{name}: it is tried", lambda: bad.requests[str(mode)])
            good.await_reports(count + 6, within=60)
            delays = [report.arrival - report.key[0] for report in good.received[count:]]
            # Of a machine that is busy with something else one may be late.
            assert statistics.median(delays) < LATE, f"{name}: {delays}"
            reported, begin = good.keys[-1], time.monotonic()
            bad.mode = None
            eventually(f"{name}: all arrive after it", lambda: bad.keys[-1][0] > reported[0], within=RECOVERY)
            assert {round(key[0]) for key in good.keys if key[0] <= reported[0]} <= {round(key[0]) for key in bad.keys}, f"{name}: reports are lost"
            remarks.append(f"{name} {time.monotonic() - begin:.1f} s")
        for stub in (good, bad):
            expect_order(stub)
        expect_justified(good, 0)
        again = expect_justified(bad, 10_000)
        assert bad.sent < 32 * 2**20, f"it read {bad.sent} bytes of an answer"
        assert machine.memory < before + 32, f"{before} MiB, then {machine.memory} MiB"
        return f"{again} twice, {bad.sent >> 10} KiB of endless answers; until it was noticed: {', '.join(remarks)}"


def a_refusal_ends_the_tries(arguments):
    with Servers(arguments) as servers:
        machine, remarks = servers.machine, []
        machine.add_destination("recorder", f"owntracks+http://127.0.0.1:{servers.recorder.server_port}/pub", token="wrong-secret")
        for status, most in ((401, 1), (403, 1), (400, 3), (404, 3)):
            stub, mode = (servers.recorder, (status, {}))
            stub.mode = mode
            machine.start_fleet()
            eventually(f"{status}: it is said", lambda: str(status) in machine.fleet("status"), within=RECOVERY)
            count = len(servers.traccar.received)
            servers.traccar.await_reports(count + 6, within=60)
            tries = stub.requests[str(mode)]
            assert 1 <= tries <= most, f"{status}: {tries} tries"
            status_text = machine.fleet("status")
            assert "the stub's words" in status_text, f"{status}: the server's words are missing: {status_text}"
            assert "wrong-secret" not in status_text + machine.log, f"{status}: the token is shown"
            machine.end("locationd-fleet")
            remarks.append(f"{status} {tries}")
            # A changed credential goes on.
            stub.mode = None
            machine.add_destination("recorder", f"owntracks+http://127.0.0.1:{stub.server_port}/pub", token=f"wrong-secret-{status}")
            count = len(stub.received)
            machine.start_fleet()
            stub.await_reports(count + 5, within=RECOVERY)
            machine.end("locationd-fleet")
        expect_order(servers.recorder)
        # An unknown device is Traccar's 400.
        servers.traccar.known = ()
        machine.start_fleet()
        eventually("Traccar's 400 is said", lambda: "400" in machine.fleet("status"), within=RECOVERY)
        return f"tries: {', '.join(remarks)}"


def killed_program_loses_nothing(arguments):
    # A fix for each second, two hundred of them a second.
    with Servers(arguments, source="") as servers:
        machine, traccar, recorder = servers.machine, servers.traccar, servers.recorder
        lines = [json.dumps({"format": "locationd-recording", "version": 1, "created": "2026-03-01T12:00:00Z"})]
        for number in range(arguments.reports + 1):
            seconds = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1772366400 + number))
            place = {"latitude": round(48 + number * 1e-5, 7), "longitude": 11.5, "horizontalAccuracy": 5, "speed": 1.1, "mode": "threeDimensional",
                     "timestamp": seconds, "age": 0, "monotonicTime": 1000 + number, "sequence": number + 1, "source": {"name": "recording", "isSimulated": True, "isReplayed": True}}
            lines.append(json.dumps({"at": number / 200, "location": place}))
        recording = machine.write("recording", "\n".join(lines) + "\n")
        machine.end("locationd")
        machine.write("locationd.toml", f'[service]\nlog-level = "warning"\n[[sources]]\nkind = "replay"\nfile = "{recording}"\n')
        # Both are away while the reports come.
        traccar.mode = recorder.mode = (503, {"Retry-After": "1"})
        machine.start_fleet()
        machine.start("locationd", "--config", machine.directory / "locationd.toml", "--runtime-directory", machine.directory / "run",
                      "--state-directory", machine.directory / "state")
        eventually("the reports wait", lambda: max(waiting(machine), default=0) >= arguments.reports, within=600)
        machine.end("locationd")
        counts = waiting(machine)
        assert len(counts) == 2 and counts[0] == counts[1], f"as many wait for each: {counts}"
        # The Recorder stays away until the kills are over.
        traccar.mode = None
        generator = random.Random(arguments.seed)
        for number in range(arguments.kills):
            rest = counts[0] - len(traccar.keys)
            some = generator.randint(0, min(rest, 2 * rest // (arguments.kills - number)))
            traccar.await_reports(len(traccar.received) + some, within=120)
            machine.end("locationd-fleet", by=signal.SIGKILL)
            machine.start_fleet()
        eventually("Traccar has all", lambda: len(traccar.keys) == counts[0], within=RECOVERY)
        recorder.mode = None
        eventually("the Recorder has all", lambda: len(recorder.keys) == counts[0], within=RECOVERY)
        eventually("nothing waits", lambda: waiting(machine) == [0, 0])
        for stub in (traccar, recorder):
            expect_order(stub)
        assert {key[0] for key in traccar.keys} == {key[0] for key in recorder.keys}
        return f"{counts[0]} reports, {expect_justified(traccar, arguments.kills)} twice, and {expect_justified(recorder, arguments.kills)} at the other"


def waiting(machine):
    """How many reports wait for each destination, as locctl says."""
    status = machine.fleet("status", "--json")
    return [destination["waiting"] for destination in json.loads(status)["destinations"]] if status else []


CHECKS = [a_bad_day_delays_nobody_else, a_refusal_ends_the_tries, killed_program_loses_nothing]


def main(checks, about=__doc__, add=lambda parser: None):
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--binaries", required=True, help="the folder of the built programs")
    parser.add_argument("checks", nargs="*", help="names of checks; all without one")
    add(parser)
    arguments = parser.parse_args()
    failed = []
    for check in checks:
        if arguments.checks and check.__name__ not in arguments.checks:
            continue
        begin = time.monotonic()
        try:
            remark = check(arguments)
            print(f"ok     {check.__name__} ({time.monotonic() - begin:.1f} s){': ' + remark if remark else ''}", flush=True)
        except Exception:
            failed.append(check.__name__)
            print(f"FAILED {check.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "all hold")
    sys.exit(1 if failed else 0)


def options(parser):
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--reports", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))


if __name__ == "__main__":
    main(CHECKS, add=options)
