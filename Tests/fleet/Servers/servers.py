"""locationd-fleet at servers that receive by HTTP, on their bad days, and killed with reports that wait.

    servers.py --binaries DIR [--kills NUMBER] [--reports NUMBER] [--seed NUMBER] [CHECK ...]

Exit status: 0 if all holds, 1 if not, which is printed.
"""

import argparse
import contextlib
import json
import random
import re
import signal
import statistics
import sys
import time
import traceback

import stubs
from fleet_machine import JOURNEY, Machine, eventually

AWAY = (503, {"Retry-After": "1"})
BAD_DAYS = {"too many": (429, {"Retry-After": "1"}), "unavailable": AWAY, "broken": (500, {}),
            **{mode: mode for mode in ("endless", "slow", "silent", "closed", "unread")}}
#: Seconds after which a report is late.
LATE = 2
#: Seconds in which an outage that is over is noticed, the longest pause between two tries among them.
RECOVERY = 460


@contextlib.contextmanager
def reports(arguments, source=JOURNEY):
    """A machine that reports to two servers, and these: Traccar and the Recorder."""
    with contextlib.closing(stubs.traccar("boat")) as traccar, contextlib.closing(stubs.recorder()) as recorder, \
            Machine(arguments.binaries, source) as machine:
        machine.add_destination("traccar", f"traccar+http://127.0.0.1:{traccar.server_port}")
        machine.add_destination("recorder", f"owntracks+http://127.0.0.1:{recorder.server_port}/pub")
        yield machine, traccar, recorder


def expect_order(stub):
    keys = stub.keys
    assert keys == sorted(keys), [pair for pair in zip(keys, keys[1:]) if pair[0] > pair[1]][:3]


def count_repeated(stub):
    """How many reports arrived again. Only one whose answer was not read may: its connection ended with it."""
    last = {report.connection: report.key for report in stub.received}
    seen, again = {}, 0
    for report in stub.received:
        if (before := seen.get(report.key)) is not None:
            assert last[before.connection] == report.key and before.connection != report.connection, (before, report)
            again += 1
        seen[report.key] = report
    return again


def waiting(machine):
    """How many reports wait for each destination."""
    return [int(count) for count in re.findall(r"^ +waiting +(\d+)", machine.fleet("status"), re.MULTILINE)]


def a_bad_day_delays_nobody_else(arguments):
    with reports(arguments) as (machine, good, bad):
        def memory():
            return int(machine.process_file("status").split("VmRSS:")[1].split()[0]) / 1024

        machine.start_fleet()
        good.await_reports(3)
        before, remarks = memory(), []
        for name, mode in BAD_DAYS.items():
            bad.mode, count = mode, len(good.received)
            eventually(f"{name}: it is tried", lambda: bad.requests[str(mode)])
            good.await_reports(6)
            delays = [report.arrival - report.key[0] for report in good.received[count:]]
            # Of a machine that is busy with something else one may be late.
            assert statistics.median(delays) < LATE, f"{name}: {delays}"
            reported, begin = good.keys[-1], time.monotonic()
            bad.mode = None
            eventually(f"{name}: all arrive after it", lambda: bad.keys[-1] > reported, within=RECOVERY)
            expected, arrived = {key[0] for key in good.keys if key <= reported}, {key[0] for key in bad.keys}
            assert expected <= arrived, f"{name}: {len(expected - arrived)} reports are lost"
            remarks.append(f"{name} {time.monotonic() - begin:.1f} s")
        expect_order(good)
        expect_order(bad)
        assert count_repeated(good) == 0
        assert bad.sent < 32 * 2**20, f"it read {bad.sent} bytes of an answer"
        assert memory() < before + 32, f"{before} MiB, then {memory()} MiB"
        return f"{count_repeated(bad)} twice; until it was noticed that it is over: {', '.join(remarks)}"


def a_refusal_ends_the_tries(arguments):
    with reports(arguments) as (machine, good, bad):
        for status, most in ((401, 1), (403, 1), (400, 3), (404, 3)):
            # Another credential goes on.
            machine.add_destination("recorder", f"owntracks+http://127.0.0.1:{bad.server_port}/pub", f"secret-{status}")
            bad.mode = (status, {})
            machine.start_fleet()
            eventually(f"{status}: it is said", lambda: str(status) in machine.fleet("status"), within=RECOVERY)
            eventually(f"{status}: it is stopped", lambda: "stopped" in machine.fleet("status"), within=RECOVERY)
            machine.restart_fleet()
            good.await_reports(6)
            tries, said = bad.requests[str(bad.mode)], machine.fleet("status")
            assert tries == most, f"{status}: {tries} tries"
            assert "the stub's words" in said and "secret" not in said + machine.log, said
            machine.end("locationd-fleet")
        # An unknown device is Traccar's 400.
        good.known = ()
        machine.start_fleet()
        eventually("Traccar's 400 is said", lambda: "400" in machine.fleet("status"), within=RECOVERY)


def killed_program_loses_nothing(arguments):
    with reports(arguments, source="") as (machine, traccar, recorder):
        # A fix for each second, two hundred of them a second, of which a busy machine misses some.
        lines = [json.dumps({"format": "locationd-recording", "version": 1, "created": "2026-03-01T12:00:00Z"})]
        for number in range(3 * arguments.reports):
            place = {"latitude": 48 + number * 1e-6, "longitude": 11.5, "horizontalAccuracy": 5, "age": 0, "speed": 1,
                     "mode": "threeDimensional", "monotonicTime": 1000 + number, "sequence": number + 1,
                     "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1772366400 + number)),
                     "source": {"name": "recording", "isSimulated": True, "isReplayed": True}}
            lines.append(json.dumps({"at": number / 200, "location": place}))
        recording = machine.write("recording", "\n".join(lines) + "\n")
        # Both are away while the reports come, and the Recorder until the kills are over.
        traccar.mode = recorder.mode = AWAY
        machine.start_fleet()
        machine.end("locationd")
        machine.start_daemon(f'[[sources]]\nkind = "replay"\nfile = "{recording}"\n')
        eventually("they wait", lambda: max(waiting(machine), default=0) >= arguments.reports, within=900)
        machine.end("locationd")
        # What it still has in its memory, it inserts when it is asked to end.
        machine.restart_fleet()
        [count, other] = eventually("it runs", lambda: waiting(machine))
        assert count == other, f"{count} and {other} wait"
        traccar.mode = None
        print(f"the seed is {arguments.seed}", flush=True)
        generator = random.Random(arguments.seed)
        for kills in range(arguments.kills, 0, -1):
            before, rest = len(traccar.received), count - len(traccar.keys)
            traccar.await_reports(generator.randint(0, min(rest, 2 * rest // kills)), since=before)
            machine.end("locationd-fleet", by=signal.SIGKILL)
            machine.start_fleet()
        eventually("nothing waits for Traccar", lambda: 0 in waiting(machine), within=RECOVERY)
        recorder.mode = None
        eventually("nothing waits", lambda: waiting(machine) == [0, 0], within=RECOVERY)
        arrived = len(traccar.keys), len(recorder.keys)
        assert arrived == (count, count), f"{arrived} of {count} have arrived"
        expect_order(traccar)
        expect_order(recorder)
        again = count_repeated(traccar)
        assert again <= arguments.kills and count_repeated(recorder) == 0
        return f"{count} reports and {arguments.kills} kills, {again} twice"


def main(checks, about, add_options):
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--binaries", required=True, help="the folder of the built programs")
    parser.add_argument("checks", nargs="*", help="names of checks; all without one")
    add_options(parser)
    arguments = parser.parse_args()
    failed = []
    for check in checks:
        if arguments.checks and check.__name__ not in arguments.checks:
            continue
        begin = time.monotonic()
        try:
            remark = check(arguments)
            print(f"ok     {check.__name__} ({time.monotonic() - begin:.1f} s): {remark or ''}", flush=True)
        except Exception:
            failed.append(check.__name__)
            print(f"FAILED {check.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "all hold")
    sys.exit(1 if failed else 0)


def options(parser):
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--reports", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of the moments of the kills")


if __name__ == "__main__":
    main([a_bad_day_delays_nobody_else, a_refusal_ends_the_tries, killed_program_loses_nothing], __doc__, options)
