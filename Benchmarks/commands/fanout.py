#!/usr/bin/env python3
"""One 10 Hz receiver and many watches: CPU time per delivered message and latency, beside the least there could be.

Both servers send messages of equal size to equal readers, by turns. Read README.md for what counts.
"""

import argparse
import json
import statistics
import sys

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from library.client import WATCH
from library.floor import Pair, sample
from library.moments import Moments
from doubles.scripted_gpsd import ScriptedGPSD
from library.trial import Trial

WATCHES = [1, 10, 60, 100, 1000, 8000]
JUDGED = 1000
# For so many watches, whoever they belong to.


class Service:
    """The daemon with its source, as a server to measure."""

    def __init__(self, daemon, gpsd):
        self.pid, self.run = daemon.pid, gpsd.stream


def compare(pair, service, watches, options):
    """Runs both by turns and returns the row."""
    servers = {"floor": pair.floor, "locationd": service}
    row = {"watches": watches} | {name: {"cost": [], "p50": [], "p99": [], "most": []} for name in servers}
    for turn in range(options.judged_repetitions if watches == JUDGED else options.repetitions):
        for name in sorted(servers, reverse=turn % 2 == 1):
            server = servers[name]
            trial = Trial(server.run, [server.pid], pair.readers[name], watches, options.rate, options.seconds)
            row[name]["size"] = trial.size
            for key, value in {"cost": trial.costs[0], **trial.latency}.items():
                row[name][key].append(value)
    for key in ("cost", "p99"):
        middle = {name: statistics.median(row[name][key]) for name in servers}
        row[f"{key} ratio"] = middle["locationd"] / middle["floor"]
    return row


def shown(row):
    def cost(name):
        values = row[name]["cost"]
        return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"

    def latency(name):
        middle = [statistics.median(row[name][key]) * 1e3 for key in ("p50", "p99")]
        return "/".join(f"{value:.2f}" for value in (*middle, max(row[name]["most"]) * 1e3))

    return (
        f"{row['watches']:7} {cost('floor'):>19} {cost('locationd'):>21} {row['cost ratio']:6.2f} "
        f"{latency('floor'):>18} {latency('locationd'):>18} {row['p99 ratio']:6.2f} "
        f"{row['floor']['size']:5.0f}/{row['locationd']['size']:.0f}")


HEAD = """\
           CPU per delivered message, us             latency p50/p99/most, ms            p99
watches               floor             locationd  ratio              floor          locationd  ratio  bytes"""


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--seconds", type=float, default=5, help="of one measurement")
    options.add_argument("--repetitions", type=int, default=3, help="measurements of each server")
    options.add_argument(
        "--judged-repetitions", type=int, default=21, help="the same at 1,000 watches: few are judged by chance")
    options.add_argument("--only", type=int, nargs="+", default=WATCHES, help="numbers of watches")
    options.add_argument("--rate", type=int, default=10, help="fixes per second")
    options.add_argument("--cost-bar", type=float, default=1.3, help="the ratio of CPU allowed at 1,000 watches")
    options.add_argument("--late-bar", type=float, default=1.5, help="the ratio of p99 allowed at 1,000 watches")
    options.add_argument("--json", action="store_true", help="print every figure as JSON too")
    options = options.parse_args()
    stage.allow_many_files()
    directory = stage.folder()
    programs = {name: stage.compiled(name, directory) for name in ("floor", "readers")}
    moments = {name: Moments(directory / f"{name}.moments") for name in ("floor", "locationd")}
    gpsd = ScriptedGPSD(moments=moments["locationd"])
    daemon = stage.Daemon(options.daemon, gpsd, directory, rest=stage.LIMITS)
    (directory / "request").write_bytes(WATCH)
    (directory / "message").write_bytes(sample(daemon.path, gpsd.stream))
    service = Service(daemon, gpsd)
    print(stage.machine())
    print(HEAD)
    rows = []
    for watches in options.only:
        pair = Pair(programs, directory, daemon, watches, moments)
        rows.append(compare(pair, service, watches, options))
        pair.end()
        print(shown(rows[-1]), flush=True)
    print(stage.machine())
    if options.json:
        print(json.dumps(rows))
    judged = [row for row in rows if row["watches"] == JUDGED]
    bars = {"cost ratio": options.cost_bar, "p99 ratio": options.late_bar}
    broken = [f"{key} {row[key]:.2f} at {JUDGED} watches, at most {bar} is meant to be"
              for row in judged for key, bar in bars.items() if row[key] > bar]
    if broken:
        sys.exit("broken: " + "; ".join(broken))


if __name__ == "__main__":
    main()
