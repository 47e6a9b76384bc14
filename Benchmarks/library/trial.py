"""One measurement of a server."""

import sys

from library.harness import cpu_seconds


class Trial:
    """One measurement of a server at a fixed rate of fixes, after a warm-up. A lost message ends the benchmark.

    costs     CPU time of each process per delivered message, microseconds
    size      bytes of one message
    latency   p50, p99 and max, seconds
    repeated  messages with the location of the message before, per delivered message
    others    messages without a location, per delivered message
    """

    def __init__(self, run, pids, readers, clients, rate, seconds):
        """`run` makes a number of fixes at a rate: `run(rate, count)`."""
        warm_up, count = max(5, rate // 2), int(seconds * rate)
        before = readers.report()["received"]
        run(rate, warm_up)
        readers.wait_for_locations(before + clients * warm_up)
        before = readers.report(reset_latency=True)
        cpu_before = [cpu_seconds(pid) for pid in pids]
        run(rate, count)
        after = readers.wait_for_locations(before["received"] + clients * count)
        cpu = [cpu_seconds(pid) - start for pid, start in zip(pids, cpu_before)]
        change = {key: after[key] - before[key] for key in ("received", "bytes", "repeated", "others")}
        received = change["received"]
        if received != clients * count or after["gaps"] or after["dropped"] or after["closed"]:
            sys.exit(f"messages were lost: {clients} readers received {received} of {clients * count}, {after}")
        self.costs = [seconds / received * 1e6 for seconds in cpu]
        self.size, self.repeated, self.others = (change[key] / received for key in ("bytes", "repeated", "others"))
        self.latency = after["latency"]
