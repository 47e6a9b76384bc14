"""What users may do to a service out of malice, and a process for each."""

import ctypes
import math
import multiprocessing
import os
import select
import socket

from library import harness as stage
from library.client import request

FLOODING = 61_001
# Those who flood together, by halves: nobody has decided about these, and those may know the position.
UNDECIDED = range(61_010, 61_014)
AUTHORIZED = range(61_020, 61_024)
STATUS = request("org.locationd.location.GetStatus")
# What the limits let one user have.
CONNECTIONS = 128
# Requests that may wait unanswered without the connection's being ended for it.
OUTSTANDING = 60_000
GARBAGE = b"\xa5" * (1 << 20)


def connected(path):
    flooding = socket.socket(socket.AF_UNIX)
    flooding.connect(path)
    return flooding


def pipeline(path, done, connections, calls):
    """Keeps as many calls waiting on each connection as may wait; comes back when it is thrown out."""
    poll = select.epoll()
    states = {}

    def enter():
        flooding = connected(path)
        flooding.setblocking(False)
        poll.register(flooding, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        states[flooding.fileno()] = [flooding, 0, b""]

    def leave(descriptor):
        poll.unregister(descriptor)
        states.pop(descriptor)[0].close()
        enter()

    for _ in range(connections):
        enter()
    mean = sum(map(len, calls)) / len(calls)
    number = 0
    while True:
        for descriptor, _ in poll.poll():
            state = states[descriptor]
            try:
                while data := state[0].recv(1 << 16):
                    answers = data.count(b"\0")
                    done.value += answers
                    state[1] = max(0, state[1] - answers * mean)
                leave(descriptor)
                continue
            except BlockingIOError:
                pass
            except OSError:
                leave(descriptor)
                continue
            try:
                # What is sent in part goes on with its rest: a request of its own would end the connection.
                while state[2] or state[1] + len(calls[number % len(calls)]) <= OUTSTANDING:
                    if not state[2]:
                        state[2] = calls[number % len(calls)]
                        state[1] += len(state[2])
                        number += 1
                    state[2] = state[2][state[0].send(state[2]):]
            except BlockingIOError:
                pass
            except OSError:
                leave(descriptor)


def calls(path, done, connections):
    """Asks for the status, call after call."""
    pipeline(path, done, connections, [STATUS])


def requests(path, done, connections):
    """Asks to be authorized for ever new purposes, which is worth a record each time."""
    pipeline(path, done, connections, [
        request("org.locationd.location.RequestAuthorization", level="always", purpose=f"{number:0200}",
                more=number % 16 == 0) for number in range(256)])


def regions(count):
    """Circles of which the last has a number that is none."""
    circle = '{"identifier":"%d","center":{"latitude":50.0,"longitude":8.0},"radius":%s}'
    return ",".join(circle % (number, "100.0" if number < count - 1 else "1e999") for number in range(count))


def refused(length):
    """A call of about so many bytes that is refused at its end."""
    call = '{"method":"org.locationd.location.Monitor","more":true,"parameters":{"name":"n","regions":[%s]}}'
    return (call % regions(length // 72)).encode() + b"\0"


def polygon(number, corners=1000):
    """A region with a long border."""
    return {"identifier": str(number), "polygon": [
        {"latitude": round(50 + number / 10 + 0.04 * math.sin(2 * math.pi * corner / corners), 5),
         "longitude": round(8 + 0.04 * math.cos(2 * math.pi * corner / corners), 5)} for corner in range(corners)]}


def unknown(path, done, connections):
    """The dearest that an undecided user may ask, mixed with the cheapest."""
    pipeline(path, done, connections, [refused(52_000), STATUS, request("org.locationd.location.GetLocation")])


def known(path, done, connections):
    """The same of one who may know the position: many regions of many corners, changed and listed, and long calls."""
    connected(path).sendall(
        request("org.locationd.location.Monitor", more=True, name="m", regions=[polygon(0)]))
    pipeline(path, done, connections, [
        *(request("org.locationd.location.ChangeRegions", name="m", add=[polygon(number)]) for number in range(31)),
        *[request("org.locationd.location.ListMonitors")] * 8, refused(52_000), STATUS])


def churn(path, done, _):
    """Connects and leaves."""
    while True:
        connected(path).close()
        done.value += 1


def garbage(path, done, connections):
    """Sends a mebibyte of nonsense over each connection, and more for as long as it is taken."""
    poll = select.epoll()
    states = {}

    def enter():
        flooding = connected(path)
        flooding.setblocking(False)
        poll.register(flooding, select.EPOLLOUT)
        states[flooding.fileno()] = flooding

    for _ in range(connections):
        enter()
    while True:
        for descriptor, _ in poll.poll():
            try:
                done.value += states[descriptor].send(GARBAGE)
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(descriptor)
                states.pop(descriptor).close()
                enter()


def compute(*_):
    """Says nothing and keeps the processor busy: what the machine alone costs."""
    while True:
        pass


# What runs at once, with its share of the connections and whose it is, if not one user's.
FLOODS = {
    "none": [],
    "busy": [(compute, 0)] * 4,
    "calls": [(calls, CONNECTIONS)],
    "requests": [(requests, CONNECTIONS)],
    "churn": [(churn, 1)],
    "garbage": [(garbage, CONNECTIONS)],
    "all": [(calls, 64), (requests, 32), (churn, 1), (garbage, 31)],
    "eight": [
        *((unknown, 32, user) for user in UNDECIDED), *((known, 32, user) for user in AUTHORIZED),
        (churn, 1, UNDECIDED[0])],
}


class Flood:
    """Processes of the flooding users, behind everybody else in the queue for the processor."""

    def __init__(self, kinds, path, niceness):
        self.done = [multiprocessing.RawValue(ctypes.c_long) for _ in kinds]
        self.processes = [
            multiprocessing.Process(
                target=self.run, args=(kind, path, done, connections, niceness, *user), daemon=True)
            for (kind, connections, *user), done in zip(kinds, self.done)]
        for process in self.processes:
            process.start()

    @staticmethod
    def run(kind, path, done, connections, niceness, user=FLOODING):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        stage.become(user)
        os.nice(niceness)
        kind(path, done, connections)

    def end(self):
        """Returns how much each has done: answers, connections, bytes."""
        alive = all(process.is_alive() for process in self.processes)
        for process in self.processes:
            process.terminate()
            process.join()
        if not alive:
            raise RuntimeError("a flood ended by itself")
        return [done.value for done in self.done]
