"""Floods: what users may send to a service in order to slow it down for others, each in a process of its own."""

import ctypes
import math
import multiprocessing
import os
import select
import socket

from library.client import STATUS, request
from library.harness import become_user

FLOODING_USER = 61_001
# The users of the flood of eight: without a decision about them, and authorized.
UNDECIDED_USERS = range(61_010, 61_014)
AUTHORIZED_USERS = range(61_020, 61_024)
# The default limit of connections for one user.
CONNECTIONS = 128
# Bytes of unanswered requests on one connection for which the service does not close it.
OUTSTANDING = 60_000
GARBAGE = b"\xa5" * (1 << 20)


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


class Pipelined:
    """One non-blocking connection with its unanswered calls."""

    def __init__(self, path):
        self.socket = connect(path)
        self.socket.setblocking(False)
        # Estimated bytes of the calls without an answer, and the rest of a call that was sent in part.
        self.outstanding, self.unsent = 0, b""


def pipeline(path, done, connections, calls):
    """Keeps as many unanswered calls on each connection as the service allows; connects anew when it is closed."""
    poll = select.epoll()
    opened = {}

    def open_connection():
        connection = Pipelined(path)
        poll.register(connection.socket, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        opened[connection.socket.fileno()] = connection

    def replace(descriptor):
        poll.unregister(descriptor)
        opened.pop(descriptor).socket.close()
        open_connection()

    for _ in range(connections):
        open_connection()
    mean = sum(map(len, calls)) / len(calls)
    number = 0
    while True:
        for descriptor, _ in poll.poll():
            connection = opened[descriptor]
            try:
                while data := connection.socket.recv(1 << 16):
                    answers = data.count(b"\0")
                    done.value += answers
                    connection.outstanding = max(0, connection.outstanding - answers * mean)
                replace(descriptor)
                continue
            except BlockingIOError:
                pass
            except OSError:
                replace(descriptor)
                continue
            try:
                # A call that was sent in part has to be completed: another one in its middle would end the connection.
                while connection.unsent or connection.outstanding + len(calls[number % len(calls)]) <= OUTSTANDING:
                    if not connection.unsent:
                        connection.unsent = calls[number % len(calls)]
                        connection.outstanding += len(connection.unsent)
                        number += 1
                    connection.unsent = connection.unsent[connection.socket.send(connection.unsent):]
            except BlockingIOError:
                pass
            except OSError:
                replace(descriptor)


def status_calls(path, done, connections):
    """GetStatus, call after call."""
    pipeline(path, done, connections, [STATUS])


def authorization_requests(path, done, connections):
    """RequestAuthorization with a different purpose each time, which makes the service record each."""
    pipeline(path, done, connections, [
        request("org.locationd.location.RequestAuthorization", level="always", purpose=f"{number:0200}",
                more=number % 16 == 0) for number in range(256)])


def circles(count):
    """JSON of so many circles; the radius of the last one is too large for a number."""
    circle = '{"identifier":"%d","center":{"latitude":50.0,"longitude":8.0},"radius":%s}'
    return ",".join(circle % (number, "100.0" if number < count - 1 else "1e999") for number in range(count))


def refused_call(length):
    """A call of about so many bytes that only its end makes invalid."""
    call = '{"method":"org.locationd.location.Monitor","more":true,"parameters":{"name":"n","regions":[%s]}}'
    return (call % circles(length // 72)).encode() + b"\0"


def polygon(number, corners=1000):
    """A region with many corners."""
    return {"identifier": str(number), "polygon": [
        {"latitude": round(50 + number / 10 + 0.04 * math.sin(2 * math.pi * corner / corners), 5),
         "longitude": round(8 + 0.04 * math.cos(2 * math.pi * corner / corners), 5)} for corner in range(corners)]}


def undecided_user(path, done, connections):
    """The most expensive call that an undecided user may make, mixed with the cheapest."""
    pipeline(path, done, connections, [refused_call(52_000), STATUS, request("org.locationd.location.GetLocation")])


def authorized_user(path, done, connections):
    """What an authorized user may do besides: change and list many regions of many corners."""
    connect(path).sendall(
        request("org.locationd.location.Monitor", more=True, name="m", regions=[polygon(0)]))
    pipeline(path, done, connections, [
        *(request("org.locationd.location.ChangeRegions", name="m", add=[polygon(number)]) for number in range(31)),
        *[request("org.locationd.location.ListMonitors")] * 8, refused_call(52_000), STATUS])


def connection_churn(path, done, _):
    """Connects and disconnects in a loop."""
    while True:
        connect(path).close()
        done.value += 1


def garbage(path, done, connections):
    """Sends a mebibyte of garbage over each connection, and more for as long as the service accepts it."""
    poll = select.epoll()
    opened = {}

    def open_connection():
        connection = connect(path)
        connection.setblocking(False)
        poll.register(connection, select.EPOLLOUT)
        opened[connection.fileno()] = connection

    for _ in range(connections):
        open_connection()
    while True:
        for descriptor, _ in poll.poll():
            try:
                done.value += opened[descriptor].send(GARBAGE)
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(descriptor)
                opened.pop(descriptor).close()
                open_connection()


def compute(*_):
    """Keeps the processor busy without any request, to compare with."""
    while True:
        pass


# The processes of each flood: what each does, over how many connections, and as which user if not FLOODING_USER.
FLOODS = {
    "none": [],
    "busy": [(compute, 0)] * 4,
    "calls": [(status_calls, CONNECTIONS)],
    "requests": [(authorization_requests, CONNECTIONS)],
    "churn": [(connection_churn, 1)],
    "garbage": [(garbage, CONNECTIONS)],
    "all": [(status_calls, 64), (authorization_requests, 32), (connection_churn, 1), (garbage, 31)],
    "eight": [
        *((undecided_user, 32, user) for user in UNDECIDED_USERS),
        *((authorized_user, 32, user) for user in AUTHORIZED_USERS), (connection_churn, 1, UNDECIDED_USERS[0])],
}


class Flood:
    """The running processes of one flood, at a lower priority than everything else."""

    def __init__(self, kinds, path, niceness):
        self.done = [multiprocessing.RawValue(ctypes.c_long) for _ in kinds]
        self.processes = [
            multiprocessing.Process(
                target=self.run, args=(kind, path, done, connections, niceness, *user), daemon=True)
            for (kind, connections, *user), done in zip(kinds, self.done)]
        for process in self.processes:
            process.start()

    @staticmethod
    def run(kind, path, done, connections, niceness, user=FLOODING_USER):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        become_user(user)
        os.nice(niceness)
        kind(path, done, connections)

    def stop(self):
        """Stops the processes. Returns how much each has done: answers, connections or bytes."""
        is_alive = all(process.is_alive() for process in self.processes)
        for process in self.processes:
            process.terminate()
            process.join()
        if not is_alive:
            raise RuntimeError("a process of the flood has ended by itself")
        return [done.value for done in self.done]
