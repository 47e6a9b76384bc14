#!/usr/bin/env python3
"""One 10 Hz receiver and many watches: CPU time per delivered message and latency, beside the floor.

The floor is a server that only sends. Both send messages of equal size to equal readers, in alternation. README.md says
what is counted.
"""

import json
import statistics

import import_path  # Makes the packages below importable.
from doubles.scripted_gpsd import ScriptedGPSD
from library import harness
from library.client import WATCH
from library.daemon import LIMITS_FOR_MANY_CLIENTS, Daemon
from library.floor import FloorAndService, sample_message
from library.moments import Moments
from library.trial import Trial

WATCHES = [1, 10, 60, 100, 1000, 8000]
JUDGED = 1000
# By how much the cost of a message, relative to the floor, may grow from 1,000 watches to 8,000.
MAX_GROWTH = 1.25


class Service:
    """The daemon with its source, as a server to measure."""

    def __init__(self, daemon, gpsd):
        self.pid, self.run = daemon.pid, gpsd.stream


def compare(pair, service, watches, options):
    """Measures both in alternation and returns the row of the table."""
    servers = {"floor": pair.floor, "locationd": service}
    row = {"watches": watches} | {name: {"cost": [], "p50": [], "p99": [], "max": []} for name in servers}
    for turn in range(options.judged_repetitions if watches == JUDGED else options.repetitions):
        for name in sorted(servers, reverse=turn % 2 == 1):
            server = servers[name]
            trial = Trial(server.run, [server.pid], pair.readers[name], watches, options.rate, options.seconds)
            row[name]["size"] = trial.size
            for key, value in {"cost": trial.costs[0], **trial.latency}.items():
                row[name][key].append(value)
    for key in ("cost", "p99"):
        medians = {name: statistics.median(row[name][key]) for name in servers}
        row[f"{key} ratio"] = medians["locationd"] / medians["floor"]
    return row


def format_row(row):
    def cost(name):
        values = row[name]["cost"]
        return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"

    def latency(name):
        medians = [statistics.median(row[name][key]) * 1e3 for key in ("p50", "p99")]
        return "/".join(f"{value:.2f}" for value in (*medians, max(row[name]["max"]) * 1e3))

    return (
        f"{row['watches']:7} {cost('floor'):>19} {cost('locationd'):>21} {row['cost ratio']:6.2f} "
        f"{latency('floor'):>18} {latency('locationd'):>18} {row['p99 ratio']:6.2f} "
        f"{row['floor']['size']:5.0f}/{row['locationd']['size']:.0f}")


HEAD = """\
           CPU per delivered message, us              latency p50/p99/max, ms            p99
watches               floor             locationd  ratio              floor          locationd  ratio  bytes"""


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="of one measurement")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each server")
    parser.add_argument(
        "--judged-repetitions", type=int, default=21, help="the same at 1,000 watches, where chance must not decide")
    parser.add_argument("--only", type=int, nargs="+", default=WATCHES, help="numbers of watches")
    parser.add_argument("--rate", type=int, default=10, help="fixes per second")
    parser.add_argument("--cost-bar", type=float, default=1.3, help="the ratio of CPU time allowed at 1,000 watches")
    parser.add_argument("--late-bar", type=float, default=1.5, help="the ratio of p99 allowed at 1,000 watches")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON too")
    options = parser.parse_args()
    harness.raise_open_file_limit()
    directory = harness.temporary_directory()
    programs = {name: harness.compile_program(name, directory) for name in ("floor", "readers")}
    moments = {name: Moments(directory / f"{name}.moments") for name in ("floor", "locationd")}
    gpsd = ScriptedGPSD(moments=moments["locationd"])
    daemon = Daemon(options.daemon, gpsd, directory, configuration=LIMITS_FOR_MANY_CLIENTS)
    (directory / "request").write_bytes(WATCH)
    (directory / "message").write_bytes(sample_message(daemon.path, gpsd.stream))
    service = Service(daemon, gpsd)
    print(harness.describe_machine())
    print(HEAD)
    rows = []
    for watches in options.only:
        pair = FloorAndService(programs, directory, daemon, watches, moments)
        rows.append(compare(pair, service, watches, options))
        pair.stop()
        print(format_row(rows[-1]), flush=True)
    print(harness.describe_machine())
    if options.json:
        print(json.dumps(rows))
    judged = [row for row in rows if row["watches"] == JUDGED]
    limits = {"cost ratio": options.cost_bar, "p99 ratio": options.late_bar}
    failures = [f"{key} {row[key]:.2f} at {JUDGED} watches, at most {limit} is allowed"
                for row in judged for key, limit in limits.items() if row[key] > limit]
    failures += [f"a message to one of 8,000 watches costs {row['cost ratio']:.2f} times the floor's"
                 for row in rows if row["watches"] == 8000
                 if judged and row["cost ratio"] > MAX_GROWTH * judged[0]["cost ratio"]]
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
