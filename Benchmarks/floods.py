"""What one user may do to a service out of malice, and a process for each."""

import ctypes
import multiprocessing
import os
import select
import socket

import stage
from client import request

FLOODING = 61_001
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
        states[flooding.fileno()] = [flooding, 0]

    def leave(descriptor):
        poll.unregister(descriptor)
        states.pop(descriptor)[0].close()
        enter()

    for _ in range(connections):
        enter()
    size = max(map(len, calls))
    number = 0
    while True:
        for descriptor, _ in poll.poll():
            state = states[descriptor]
            try:
                while data := state[0].recv(1 << 16):
                    answers = data.count(b"\0")
                    done.value += answers
                    state[1] = max(0, state[1] - answers * size)
                leave(descriptor)
                continue
            except BlockingIOError:
                pass
            except OSError:
                leave(descriptor)
                continue
            try:
                while state[1] + size <= OUTSTANDING:
                    number += 1
                    state[1] += state[0].send(calls[number % len(calls)])
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


# What runs at once, with its share of the connections.
FLOODS = {
    "none": [],
    "busy": [(compute, 0)] * 4,
    "calls": [(calls, CONNECTIONS)],
    "requests": [(requests, CONNECTIONS)],
    "churn": [(churn, 1)],
    "garbage": [(garbage, CONNECTIONS)],
    "all": [(calls, 64), (requests, 32), (churn, 1), (garbage, 31)],
}


class Flood:
    """Processes of the flooding user, behind everybody else in the queue for the processor."""

    def __init__(self, kinds, path, niceness):
        self.done = [multiprocessing.RawValue(ctypes.c_long) for _ in kinds]
        self.processes = [
            multiprocessing.Process(target=self.run, args=(kind, path, done, connections, niceness), daemon=True)
            for (kind, connections), done in zip(kinds, self.done)]
        for process in self.processes:
            process.start()

    @staticmethod
    def run(kind, path, done, connections, niceness):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        stage.become(FLOODING)
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
