#!/usr/bin/env python3
"""Clients of gpsd itself beside watches of locationd, which is then gpsd's only client, of one receiver at 10 Hz.

Both are measured in alternation: CPU time per delivered fix, and latency from the last byte of an epoch.
"""

import statistics

import import_path  # Makes the packages below importable.
from library import harness
from library.gpsd_comparison import GPSDComparison

# Clients, and whether the watches ask for satellites, which gpsd's clients always get.
ROWS = [(1, False), (16, False), (60, False), (60, True)]
JUDGED = (60, False)
# How many times less CPU time and p99 than gpsd is the goal; README.md says why it is not met.
COST_GOAL, P99_GOAL = 4, 3


def compare(comparison, clients, with_sky, options):
    """The measurements of both, in alternation, and the latency of every fix in all of them, seconds."""
    trials, latencies = {"gpsd": [], "locationd": []}, {"gpsd": [], "locationd": []}
    for turn in range(options.judged_repetitions if clients == JUDGED[0] else options.repetitions):
        for name in sorted(trials, reverse=turn % 2 == 1):
            if name == "gpsd":
                readers, gpsd_clients = comparison.clients_of_gpsd(clients), clients
            else:
                readers, gpsd_clients = comparison.watches(clients, "sky" if with_sky else "watch"), 1
            trials[name].append(comparison.measure(readers, clients, gpsd_clients, options.seconds))
            latencies[name] += [latency for _, latency in readers.samples()]
            readers.stop()
            comparison.gpsd.wait_for_clients(0)
    return trials, latencies


class Row:
    """The figures of one number of clients."""

    def __init__(self, trials, latencies):
        def median(name, figure):
            return statistics.median(figure(trial) for trial in trials[name])

        self.latencies = latencies
        self.cost = {
            "gpsd": median("gpsd", lambda trial: trial.costs[0]),
            "both": median("locationd", lambda trial: sum(trial.costs)),
            "locationd": median("locationd", lambda trial: trial.costs[1]),
        }
        # gpsd's figure divided by ours.
        self.cost_ratio = self.cost["gpsd"] / self.cost["both"]
        self.messages = {name: 1 + trials[name][0].repeated + trials[name][0].others for name in trials}

    def latency_ratio(self, share):
        return harness.quantile(self.latencies["gpsd"], share) / harness.quantile(self.latencies["locationd"], share)

    def format(self, clients, with_sky):
        latency = {name: harness.format_percentiles(values) for name, values in self.latencies.items()}
        return (
            f"{clients:4}{' + sky' if with_sky else '':6} {self.cost['gpsd']:7.1f} {self.cost['both']:8.1f} "
            f"{self.cost['locationd']:7.1f} {self.cost_ratio:6.1f} {latency['gpsd']:>16} {latency['locationd']:>16} "
            f"{self.latency_ratio(0.99):6.1f}  {self.messages['gpsd']:.1f}/{self.messages['locationd']:.1f}")


HEAD = """\
             CPU per delivered fix, us           latency p50/p99/max, ms              messages
clients       gpsd     both   ours  ratio             gpsd        locationd  ratio  per fix"""


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="of one measurement")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of each")
    parser.add_argument(
        "--judged-repetitions", type=int, default=21, help="the same at 60 clients, where chance must not decide")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of clients")
    parser.add_argument(
        "--cost-bar", type=float, default=1.5, help="how many times less CPU time at least, at 60 clients")
    parser.add_argument("--half-bar", type=float, default=1.5, help="how many times earlier the p50 at least, there")
    options = parser.parse_args()
    comparison = GPSDComparison(options.daemon, harness.temporary_directory())
    print(harness.describe_machine())
    print(HEAD)
    failures = []
    for clients, with_sky in ROWS:
        if options.only and clients not in options.only:
            continue
        row = Row(*compare(comparison, clients, with_sky, options))
        print(row.format(clients, with_sky), flush=True)
        if (clients, with_sky) != JUDGED:
            continue
        for what, value, goal in ("CPU", row.cost_ratio, COST_GOAL), ("p99", row.latency_ratio(0.99), P99_GOAL):
            if value < goal:
                print(f"goal missed: at {clients} clients {what} is {value:.1f} times less, the goal is {goal}")
        for what, value, limit in (
                ("CPU", row.cost_ratio, options.cost_bar), ("p50", row.latency_ratio(0.5), options.half_bar)):
            if value < limit:
                failures.append(f"at {clients} clients {what} is {value:.1f} times less, at least {limit} is required")
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
