#!/usr/bin/env python3
"""Programs written for gpsd over locationd-bridge: what they cost beside gpsd alone, what they lose, when a denial comes.

Exits with 1 if a fix is lost while one client does not read, if 60 clients cost more than at gpsd itself, or if the p99 of
a denial is above 50 ms. Needs root.
"""

import pathlib
import selectors
import socket
import statistics
import time

import import_path  # Makes the packages below importable.
from doubles.learned_gpsd import WATCH
from library import harness
from library.bridge import Bridge
from library.daemon import Administrator
from library.gpsd_comparison import RATE, GPSDComparison
from library.readers import Readers
from library.trial import Trial

CLIENTS = (1, 16, 60)
# The number of clients at which gpsd, locationd and bridge together have to cost less than gpsd alone.
JUDGED = 60
MANY = 500
DENIAL_LIMIT = 0.05
UID = 61_000
DENIED_CLIENTS = 100


def bridged(comparison, bridge, count):
    """Clients of the bridge that have been answered: VERSION, DEVICES and WATCH."""
    readers = Readers(
        comparison.program, bridge.port, count, comparison.directory / "gpsd", moments=comparison.moments)
    readers.wait_until_answered(3 * count)
    comparison.gpsd.wait_for_clients(1)
    return readers


def measure(comparison, bridge, clients, options):
    """CPU time per delivered fix, microseconds, at gpsd alone and with everything of ours, in alternation."""
    alone, together = [], []
    pids = [comparison.gpsd.pid, comparison.daemon.pid, bridge.pid]
    for _ in range(options.repetitions):
        readers = comparison.clients_of_gpsd(clients)
        alone.append(comparison.measure(readers, clients, clients, options.seconds).costs[0])
        readers.stop()
        comparison.gpsd.wait_for_clients(0)
        readers = bridged(comparison, bridge, clients)
        trial = Trial(comparison.receiver.run, pids, readers, clients, RATE, options.seconds)
        together.append((trial.costs, trial.latency))
        readers.stop()
        comparison.gpsd.wait_for_clients(0)
    costs = [statistics.median(costs[part] for costs, _ in together) for part in range(3)]
    ours = statistics.median(sum(costs) for costs, _ in together)
    p99 = statistics.median(latency["p99"] for _, latency in together)
    return statistics.median(alone), ours, costs, p99


def stalled_client(port):
    """A client that watches, and never reads."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.connect(("127.0.0.1", port))
    client.sendall(WATCH)
    return client


def denial_latencies(comparison, bridge, repetitions):
    """Seconds from before the administrator's call until each client has read the ERROR."""
    administrator, latencies = Administrator(comparison.daemon), []
    for _ in range(repetitions):
        administrator.set_authorization(UID, "authorizedAlways")
        with harness.effective_user(UID):
            clients = [socket.create_connection(("127.0.0.1", bridge.port)) for _ in range(DENIED_CLIENTS)]
        selector, said = selectors.DefaultSelector(), {}
        for client in clients:
            client.sendall(WATCH)
            selector.register(client, selectors.EVENT_READ)
            said[client] = b""
        # Each is served before it is denied.
        read_until(selector, said, b'"lat":', lambda: comparison.receiver.run(RATE, 1))
        for client in clients:
            said[client] = b""
        called, _ = administrator.set_authorization(UID, "denied")
        latencies += [moment - called for moment in read_until(selector, said, b'"class":"ERROR"')]
        for client in clients:
            client.close()
        selector.close()
    return latencies


def read_until(selector, said, words, provoke=lambda: None, timeout=10):
    """Reads until each client has been sent the words; the moments at which it had."""
    end, moments = time.monotonic() + timeout, {}
    while len(moments) < len(said):
        if time.monotonic() > end:
            raise TimeoutError(f"only {len(moments)} of {len(said)} clients have read {words}")
        provoke()
        for key, _ in selector.select(0.05):
            said[key.fileobj] += key.fileobj.recv(65_536)
            if words in said[key.fileobj]:
                moments.setdefault(key.fileobj, time.monotonic())
    return list(moments.values())


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--bridge", default=harness.RELEASE_BUILD / "locationd-bridge", help="a release build of it")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--minute", type=float, default=60, help=f"seconds for which {MANY} clients read")
    options = parser.parse_args()
    harness.require_root()
    harness.raise_open_file_limit()
    print(harness.describe_machine())
    directory = pathlib.Path(harness.temporary_directory())
    comparison = GPSDComparison(options.daemon, directory)
    bridge = Bridge(options.bridge, comparison.daemon)
    failures = []
    print("clients  gpsd alone  all of ours  (gpsd + locationd + bridge)  p99, ms  [CPU time per fix, microseconds]")
    for clients in CLIENTS:
        alone, ours, costs, p99 = measure(comparison, bridge, clients, options)
        parts = " + ".join(f"{cost:.1f}" for cost in costs)
        print(f"{clients:7} {alone:11.1f} {ours:12.1f}  ({parts})  {p99 * 1e3:.2f}", flush=True)
        if clients == JUDGED and ours > alone:
            failures.append(f"{clients} clients cost {ours:.1f} us per fix, and {alone:.1f} at gpsd alone")
    stalled = stalled_client(bridge.port)
    readers = bridged(comparison, bridge, MANY)
    # It ends the command if a fix is lost.
    trial = Trial(comparison.receiver.run, [bridge.pid], readers, MANY, RATE, options.minute)
    print(f"{MANY} clients for {options.minute:.0f} s, one more that never reads: nothing lost, "
          f"{trial.costs[0]:.1f} us of the bridge per fix, p99 {trial.latency['p99'] * 1e3:.2f} ms", flush=True)
    readers.stop()
    stalled.close()
    latencies = denial_latencies(comparison, bridge, 10)
    print(f"denial of {DENIED_CLIENTS} clients, p50/p99/max: {harness.format_percentiles(latencies)} ms")
    if harness.quantile(latencies, 0.99) > DENIAL_LIMIT:
        failures.append("a denial takes too long")
    print(harness.describe_machine())
    harness.exit_if_failed(failures)


if __name__ == "__main__":
    main()
