"""Clients that are too many, that connect and disconnect too fast, that never read or never finish their calls."""

import contextlib
import multiprocessing
import signal
import socket
import struct
import time

from faults.fixture import fixture
from library import harness
from library.client import STATUS, WATCH, Client
from library.daemon import Administrator

# The first user of the clients that cause the fault; usually no real user has it.
FIRST_USER = 62_000
# As many users with as many connections as the default limits allow.
USERS, CONNECTIONS_PER_USER = 31, 128


@contextlib.contextmanager
def background(function, *arguments):
    """Runs the function in a process until the end of the block, which starts once the function sets its event."""
    started, counter = multiprocessing.Event(), multiprocessing.Value("l", 0)
    process = multiprocessing.Process(target=function, args=(started, counter, *arguments), daemon=True)
    process.start()
    try:
        if not started.wait(120):
            raise TimeoutError(f"{function.__name__} does not start")
        yield counter
    finally:
        process.kill()
        process.join()


def open_connections(path, count, request, users=None):
    """Connections over which the request was sent, a thousand a second so that no user is slowed down for its rate.

    Connections that are not accepted within a second, or closed at once, are among them."""
    connections, start = [], time.monotonic()
    for number in range(count):
        time.sleep(max(0, start + number / 1000 - time.monotonic()))
        with harness.effective_user(users[number % len(users)]) if users else contextlib.nullcontext():
            connection = socket.socket(socket.AF_UNIX)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 1, 0))
            with contextlib.suppress(OSError):
                connection.connect(path)
                connection.sendall(request)
            connections.append(connection)
    return connections


def hold_connections(started, counter, path, count, request, users):
    """Keeps connections open and never reads from them."""
    connections = open_connections(path, count, request, users)
    counter.value = len(connections)
    started.set()
    signal.pause()


def try_status(path):
    """Seconds until a new client was answered, at most five, and the error if there was one."""
    start = time.monotonic()
    with Client(path) as client:
        client.socket.settimeout(5)
        try:
            reply = client.call("org.locationd.location.GetStatus")
            return time.monotonic() - start, reply.get("error")
        except OSError as error:
            return time.monotonic() - start, str(error)
        except EOFError:
            return time.monotonic() - start, "closed"


def authorize(daemon, users):
    with Administrator(daemon) as administrator:
        for user in users:
            administrator.set_authorization(user, "authorizedAlways")


def expect_undisturbed(setup, watches, before):
    """The ten watches lose nothing. `before` are their ages, p50, p99 and max, without the fault."""
    report = watches.report()
    setup.outcome.recovery = f"not interrupted; p99 {report['ages'][1] * 1e3:.1f} ms, {before[1] * 1e3:.1f} before"
    setup.expect_no_loss(report)


def descriptors(options, users):
    """LimitNOFILE=512 and 600 watches of root, who has no limits, or of users, who have; gpsd is killed meanwhile."""
    with fixture(options) as setup:
        daemon = setup.start_daemon(
            files=512, configuration="" if users is None else "[limits]\nclients-per-user = 1000\n")
        if users:
            authorize(daemon, users)
        watches = setup.open_watches()
        outcome = setup.outcome
        with background(hold_connections, daemon.path, 600, WATCH, users):
            resources = daemon.resources()
            cpu = harness.cpu_seconds(daemon.pid)
            time.sleep(3)
            cpu = (harness.cpu_seconds(daemon.pid) - cpu) / 3
            duration, error = try_status(daemon.control)
            setup.expect_no_loss(watches.report())
            setup.gpsd.kill()
            setup.gpsd.start()
            setup.gpsd.wait_until_listening()
            watches.mark()
            report = watches.wait_until_all_served()
            outcome.expect(report["served"] == watches.count, "the daemon does not connect to gpsd again")
            outcome.expect(users is None or not error, f"the administrator is answered {error}")
            outcome.remark(
                f"{resources[1]} descriptors of 512; an administrator is answered {error or 'well'} after "
                f"{duration:.2f} s; {100 * cpu:.0f} % of a core; gpsd again after {report['recovery'] or 60:.1f} s")
        start = time.monotonic()
        while try_status(daemon.path)[1] and time.monotonic() < start + 30:
            time.sleep(0.05)
        outcome.recovery = f"new clients {time.monotonic() - start:.1f} s after"
        report = watches.report()
        outcome.expect(report["ends"] == 0 and report["connected"] == watches.count, "watches were disconnected")
        outcome.expect_resources_returned(daemon)
        return outcome


def descriptors_of_root(options):
    """LimitNOFILE=512 and 600 watches of root, for whom there is no other limit; gpsd is killed meanwhile."""
    return descriptors(options, None)


def descriptors_of_users(options):
    """LimitNOFILE=512 and 600 watches of six users with a limit of 1,000 each; gpsd is killed meanwhile."""
    return descriptors(options, range(FIRST_USER, FIRST_USER + 6))


def not_reading(options):
    """100 watches that never read, for 60 s."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches()
        outcome = setup.outcome
        time.sleep(5)
        before = watches.mark()["ages"]
        with background(hold_connections, daemon.path, 100, WATCH, None):
            resources, start, disconnected = [daemon.resources()], time.monotonic(), None
            while time.monotonic() < start + 60:
                time.sleep(0.5)
                resources.append(daemon.resources())
                if disconnected is None and resources[-1][1] <= outcome.before[1] + 2:
                    disconnected = time.monotonic() - start
            expect_undisturbed(setup, watches, before)
        outcome.remark("at most {} KiB and {} descriptors; ".format(*map(max, *resources))
                       + (f"disconnected within {disconnected:.0f} s" if disconnected else "not disconnected"))
        outcome.expect(disconnected and resources[0][1] > 200,
                       "clients that do not read are not disconnected within 60 s")
        outcome.expect_resources_returned(daemon)
        return outcome


def churn(started, counter, path, rate, uid):
    """Connects and disconnects at the rate."""
    if uid:
        harness.become_user(uid)
    started.set()
    start = time.monotonic()
    while True:
        due = int((time.monotonic() - start) * rate) - counter.value
        for _ in range(due):
            client = socket.socket(socket.AF_UNIX)
            client.connect(path)
            client.close()
        counter.value += max(0, due)
        time.sleep(0.002)


def storm(options, uid):
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches()
        time.sleep(5)
        before = watches.mark()["ages"]
        cpu, start = harness.cpu_seconds(daemon.pid), time.monotonic()
        with background(churn, daemon.path, 5000, uid) as counter:
            time.sleep(30)
            rate = counter.value / (time.monotonic() - start)
        cpu = (harness.cpu_seconds(daemon.pid) - cpu) / (time.monotonic() - start)
        expect_undisturbed(setup, watches, before)
        outcome = setup.outcome
        outcome.remark(f"{rate:,.0f} connections/s were made; {100 * cpu:.0f} % of a core")
        outcome.expect(not try_status(daemon.path)[1], "a client that connects afterwards is not served")
        outcome.expect_resources_returned(daemon)
        return outcome


def storm_of_root(options):
    """Root connects and disconnects, 5,000 times a second for 30 s."""
    return storm(options, None)


def storm_of_a_user(options):
    """A user without any rights connects and disconnects, 5,000 times a second for 30 s."""
    return storm(options, FIRST_USER)


def send_slowly(started, counter, path, count, users):
    """Sends calls byte by byte, one byte a second over each connection."""
    connections = open_connections(path, count, b"", users)
    started.set()
    index = 0
    while True:
        start = time.monotonic()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.send(STATUS[index % len(STATUS):][:1])
                counter.value += 1
        index += 1
        time.sleep(max(0, start + 1 - time.monotonic()))


def byte_by_byte(options):
    """31 users with 128 connections each send one byte a second over all of them, for 60 s."""
    with fixture(options) as setup:
        daemon, watches = setup.start_daemon(), setup.open_watches()
        time.sleep(5)
        before = watches.mark()["ages"]
        users = range(FIRST_USER, FIRST_USER + USERS)
        with background(send_slowly, daemon.path, USERS * CONNECTIONS_PER_USER, users) as counter:
            cpu, start, sent = harness.cpu_seconds(daemon.pid), time.monotonic(), counter.value
            watches.mark()
            time.sleep(60)
            cpu = (harness.cpu_seconds(daemon.pid) - cpu) / (time.monotonic() - start)
            resources = daemon.resources()
            rate = (counter.value - sent) / (time.monotonic() - start)
            expect_undisturbed(setup, watches, before)
            duration, error = try_status(daemon.path)
        outcome = setup.outcome
        outcome.remark(f"{resources[0]} KiB and {resources[1]} descriptors meanwhile; {rate:,.0f} bytes/s; "
                       f"{100 * cpu:.0f} % of a core; a new client is answered after {duration * 1e3:.0f} ms")
        outcome.expect(not error, f"a new client is answered {error}")
        outcome.expect_resources_returned(daemon)
        return outcome


FAULTS = [descriptors_of_root, descriptors_of_users, not_reading, storm_of_root, storm_of_a_user, byte_by_byte]
