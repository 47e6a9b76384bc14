"""One measurement of a server that is told how many fixes to make and how fast."""

import sys

from library import harness as stage


class Trial:
    """What one measurement came to.

    costs    CPU time of each process per delivered message, microseconds
    size     bytes of one message
    latency  p50, p99 and most, seconds
    again    messages that told a fix once more, per fix
    others   messages without a location, per fix
    """

    def __init__(self, run, pids, readers, clients, rate, seconds):
        """Tells `run` a rate and a count, twice: to warm up, and in earnest."""
        warm_up, count = max(5, rate // 2), int(seconds * rate)
        before = readers.report()["received"]
        run(rate, warm_up)
        readers.awaited(before + clients * warm_up)
        before = readers.report(fresh=True)
        started = [stage.cpu_seconds(pid) for pid in pids]
        run(rate, count)
        after = readers.awaited(before["received"] + clients * count)
        spent = [stage.cpu_seconds(pid) - start for pid, start in zip(pids, started)]
        come = {key: after[key] - before[key] for key in ("received", "bytes", "again", "others")}
        if come["received"] != clients * count or after["gaps"] or after["dropped"] or after["closed"]:
            sys.exit(f"messages were lost: {come['received']} of {clients * count} came to {clients} readers, {after}")
        self.costs = [seconds / come["received"] * 1e6 for seconds in spent]
        self.size, self.again, self.others = (come[key] / come["received"] for key in ("bytes", "again", "others"))
        self.latency = after["latency"]
