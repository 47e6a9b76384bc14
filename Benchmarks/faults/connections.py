"""Clients that are too many, come and go too fast, never read, or never finish their calls, beside ten that behave."""

import contextlib
import multiprocessing
import signal
import socket
import struct
import time

from library import harness as tools
from library.client import WATCH, Client, request
from faults.fixture import scene

STATUS = request("org.locationd.location.GetStatus")
#: The first of the users who crowd; nobody on a usual machine.
FIRST_USER = 62_000
CONFIGURED_USERS, PER_USER = 31, 128


@contextlib.contextmanager
def elsewhere(doing, *arguments):
    """Runs it in a process of its own, which says when it has begun and ends with the block."""
    begun, counted = multiprocessing.Event(), multiprocessing.Value("l", 0)
    process = multiprocessing.Process(target=doing, args=(begun, counted, *arguments), daemon=True)
    process.start()
    try:
        if not begun.wait(120):
            raise TimeoutError(f"{doing.__name__} does not begin")
        yield counted
    finally:
        process.kill()
        process.join()


def connected(path, count, say, users=None):
    """Connections that have said something, a thousand a second lest users be held up for their haste.

    Who is not let in within a second, or closed at once, counts as well."""
    crowd, began = [], time.monotonic()
    for number in range(count):
        time.sleep(max(0, began + number / 1000 - time.monotonic()))
        with tools.user(users[number % len(users)]) if users else contextlib.nullcontext():
            client = socket.socket(socket.AF_UNIX)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 1, 0))
            with contextlib.suppress(OSError):
                client.connect(path)
                client.sendall(say)
            crowd.append(client)
    return crowd


def staying(begun, counted, path, count, say, users):
    crowd = connected(path, count, say, users)
    counted.value = len(crowd)
    begun.set()
    signal.pause()


def attempt(path):
    """Seconds until somebody new was answered, and the error if there was one; patient for five seconds."""
    began = time.monotonic()
    client = Client(path)
    client.socket.settimeout(5)
    try:
        reply = client.call("org.locationd.location.GetStatus")
        return time.monotonic() - began, reply.get("error")
    except OSError as error:
        return time.monotonic() - began, str(error)
    except EOFError:
        return time.monotonic() - began, "closed"
    finally:
        client.close()


def authorize(service, users):
    administrator = tools.Administrator(service)
    for user in users:
        administrator.decide(user, "authorizedAlways")
    administrator.close()


def descriptors(options, users):
    """LimitNOFILE=512, and 600 watches of one who is spared limits, or of many who are not; gpsd dies meanwhile."""
    with scene(options) as stage:
        service = stage.serve(files=512, rest="" if users is None else "[limits]\nclients-per-user = 1000\n")
        if users:
            authorize(service, users)
        watches = stage.watch()
        outcome = stage.outcome
        with elsewhere(staying, service.path, 600, WATCH, users):
            crowded = service.figures()
            spent = tools.cpu_seconds(service.pid)
            time.sleep(3)
            spent = (tools.cpu_seconds(service.pid) - spent) / 3
            took, error = attempt(service.control)
            report = watches.report()
            stage.nothing_is_lost(report)
            stage.gpsd.kill()
            stage.gpsd.start()
            stage.gpsd.answered()
            watches.mark()
            report = watches.await_all()
            outcome.promise(report["served"] == watches.count, "gpsd is not found again")
            outcome.promise(users is None or not error, f"the administrator is answered {error}")
            outcome.remark(
                f"{crowded[1]} descriptors of 512; an administrator is answered {error or 'well'} after {took:.2f} s; "
                f"{100 * spent:.0f} % of a core; gpsd again after {report['again'] or 60:.1f} s")
        began = time.monotonic()
        while attempt(service.path)[1] and time.monotonic() < began + 30:
            time.sleep(0.05)
        outcome.again = f"newcomers {time.monotonic() - began:.1f} s after"
        report = watches.report()
        outcome.promise(report["ends"] == 0 and report["open"] == watches.count, "watches were cut off")
        outcome.settle(service)
        return outcome


def descriptors_of_root(options):
    """LimitNOFILE=512 and 600 watches of root, whom no limit but this one holds; gpsd dies meanwhile."""
    return descriptors(options, None)


def descriptors_of_users(options):
    """LimitNOFILE=512 and 600 watches of six users with a limit of 1,000 each; gpsd dies meanwhile."""
    return descriptors(options, range(FIRST_USER, FIRST_USER + 6))


def deaf(options):
    """100 watches that never read, for 60 s."""
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch()
        time.sleep(5)
        calm = watches.mark()["ages"]
        with elsewhere(staying, service.path, 100, WATCH, None):
            figures, began, let_go = [service.figures()], time.monotonic(), None
            while time.monotonic() < began + 60:
                time.sleep(0.5)
                figures.append(service.figures())
                if let_go is None and figures[-1][1] <= stage.outcome.before[1] + 2:
                    let_go = time.monotonic() - began
            report = watches.report()
        stage.outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms, {calm[1] * 1e3:.1f} before"
        stage.outcome.remark("at most {} KiB and {} descriptors; ".format(*map(max, *figures))
                             + (f"let go within {let_go:.0f} s" if let_go else "not let go"))
        stage.outcome.promise(let_go and figures[0][1] > 200, "those who do not read are not let go within 60 s")
        stage.nothing_is_lost(report)
        stage.outcome.settle(service)
        return stage.outcome


def churning(begun, counted, path, rate, uid):
    if uid:
        tools.become(uid)
    begun.set()
    began = time.monotonic()
    while True:
        due = int((time.monotonic() - began) * rate) - counted.value
        for _ in range(due):
            client = socket.socket(socket.AF_UNIX)
            client.connect(path)
            client.close()
        counted.value += max(0, due)
        time.sleep(0.002)


def storm(options, uid):
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch()
        time.sleep(5)
        calm = watches.mark()["ages"]
        spent, began = tools.cpu_seconds(service.pid), time.monotonic()
        with elsewhere(churning, service.path, 5000, uid) as counted:
            time.sleep(30)
            rate = counted.value / (time.monotonic() - began)
        spent = (tools.cpu_seconds(service.pid) - spent) / (time.monotonic() - began)
        report = watches.report()
        outcome = stage.outcome
        outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms, {calm[1] * 1e3:.1f} before"
        outcome.remark(f"{rate:,.0f} connections/s were made; {100 * spent:.0f} % of a core")
        stage.nothing_is_lost(report)
        outcome.promise(not attempt(service.path)[1], "somebody who comes afterwards is not served")
        outcome.settle(service)
        return outcome


def storm_of_root(options):
    """Root connects and leaves, 5,000 times a second for 30 s."""
    return storm(options, None)


def storm_of_a_user(options):
    """A user without any rights connects and leaves, 5,000 times a second for 30 s."""
    return storm(options, FIRST_USER)


def dripping(begun, counted, path, count, users):
    """Says a call byte by byte, one a second on each connection, and begins anew."""
    crowd = connected(path, count, b"", users)
    begun.set()
    place = 0
    while True:
        began = time.monotonic()
        for client in crowd:
            with contextlib.suppress(OSError):
                client.send(STATUS[place % len(STATUS):][:1])
                counted.value += 1
        place += 1
        time.sleep(max(0, began + 1 - time.monotonic()))


def dripped(options):
    """31 users with 128 connections each say one byte a second on all of them, for 60 s."""
    with scene(options) as stage:
        service, watches = stage.serve(), stage.watch()
        time.sleep(5)
        calm = watches.mark()["ages"]
        users = range(FIRST_USER, FIRST_USER + CONFIGURED_USERS)
        with elsewhere(dripping, service.path, CONFIGURED_USERS * PER_USER, users) as counted:
            spent, began, said = tools.cpu_seconds(service.pid), time.monotonic(), counted.value
            watches.mark()
            time.sleep(60)
            spent = (tools.cpu_seconds(service.pid) - spent) / (time.monotonic() - began)
            crowded = service.figures()
            rate = (counted.value - said) / (time.monotonic() - began)
            report = watches.report()
            took, error = attempt(service.path)
        outcome = stage.outcome
        outcome.again = f"never stopped; p99 {report['ages'][1] * 1e3:.1f} ms, {calm[1] * 1e3:.1f} before"
        outcome.remark(f"{crowded[0]} KiB and {crowded[1]} descriptors meanwhile; {rate:,.0f} bytes/s; "
                       f"{100 * spent:.0f} % of a core; somebody new is answered after {took * 1e3:.0f} ms")
        outcome.promise(not error, f"somebody new is answered {error}")
        stage.nothing_is_lost(report)
        outcome.settle(service)
        return outcome


FAULTS = [descriptors_of_root, descriptors_of_users, deaf, storm_of_root, storm_of_a_user, dripped]
