"""The clients of a soak that come and go: a fixed number at a time, each of a random kind, user and duration.

    python3 -m soak.clients SOCKET CONTROL-SOCKET SEED CLIENTS OVERSTAY

Prints "ready" and executes the commands of its input, one a line: "start" starts the clients; "disconnect" ends half of
them in the middle of what they do, and others take their place; "stop" ends all of them and is answered "stopped"; "report"
is answered by a line of JSON. One of OVERSTAY clients never closes its connection (0: all do).
"""

import asyncio
import collections
import json
import os
import random
import socket
import sys

from library.client import request
from library.harness import effective_user

LOCATION, ADMIN = "org.locationd.location.", "org.locationd.admin."
ROOT, GRANTED_USER, REDUCED_USER, DENIED_USER, UNDECIDED_USER, CHANGING_USER = 0, 62_001, 62_002, 62_003, 62_004, 62_005
USERS = [ROOT, GRANTED_USER, REDUCED_USER, DENIED_USER, UNDECIDED_USER, CHANGING_USER]
# Errors that depend on the moment or the user, and that a client may get at any time.
EXPECTED_ERRORS = {"Disabled", "TimedOut", "LocationUnavailable", "NotAuthorized", "TooManyRequests",
                   "TooManyAuthorizations", "NoSuchMonitor", "MonitorInUse"}


class SoakClient:
    """One connection of one user's. It checks that the user receives nothing that it must not know."""

    def __init__(self, pool, path, uid):
        self.pool, self.uid = pool, uid
        self.socket = socket.socket(socket.AF_UNIX)
        with effective_user(uid):
            self.socket.connect(path)
        self.socket.setblocking(False)
        self.is_denied = uid == DENIED_USER
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(sock=self.socket, limit=1 << 22)
        return self

    def send(self, method, more=False, **parameters):
        self.writer.write(request(method, more, **parameters))

    async def reply(self):
        """The parameters of the next message."""
        message = json.loads((await self.reader.readuntil(b"\0"))[:-1])
        self.pool.messages += 1
        if "error" in message:
            name = message["error"].rpartition(".")[2]
            self.pool.errors[name] += 1
            if name not in EXPECTED_ERRORS:
                self.pool.failures.append(f"uid {self.uid} received {message}")
        parameters = message.get("parameters", {})
        if status := parameters.get("status"):
            self.is_denied = status["authorization"] in ("denied", "notDetermined", "restricted")
        location = parameters.get("location") or (parameters.get("region") or {}).get("location")
        if location and self.is_denied:
            self.pool.failures.append(f"uid {self.uid}, which is denied, received {message}")
        if location and self.uid == REDUCED_USER and location.keys() & {"altitude", "speed", "course"}:
            self.pool.failures.append(f"uid {self.uid}, whose accuracy is reduced, received {message}")
        return parameters

    async def call(self, method, **parameters):
        self.send(method, **parameters)
        return await self.reply()

    def close(self):
        """Closes the connection at once, even if there is unread data."""
        if self.writer:
            self.writer.transport.abort()
        else:
            self.socket.close()


async def watch(client):
    """Without a filter every gap is reported as dropped."""
    client.send(LOCATION + "Watch", more=True)
    sequence = gap = 0
    while reply := await client.reply():
        gap += reply.get("dropped", 0)
        if location := reply.get("location"):
            if sequence and client.uid in (ROOT, GRANTED_USER) and location["sequence"] - sequence - 1 != gap:
                client.pool.failures.append(
                    f"fix {sequence} was followed by {location['sequence']}, with {gap} reported as dropped")
            sequence, gap = location["sequence"], 0


async def watch_filtered(client):
    client.send(LOCATION + "Watch", more=True, **random.choice([
        {"distanceFilter": random.uniform(1, 100)}, {"minimumInterval": random.uniform(0.2, 5)},
        {"requiredAccuracy": random.uniform(1, 100)}, {"heading": True, "satellites": True},
        {"passive": True, "everySource": True}, {"location": False, "satellites": True}]), purpose="soak")
    while await client.reply():
        pass


async def watch_once(client):
    client.send(LOCATION + "Watch", more=True, maximumUpdates=1)
    while "location" not in await client.reply():
        pass


async def get_location(client):
    while True:
        await client.call(LOCATION + "GetLocation", maximumAge=random.choice([0, 5]), timeout=random.uniform(0.1, 3))
        await asyncio.sleep(random.uniform(0.2, 2))


async def request_authorization(client):
    client.send(LOCATION + "RequestAuthorization", more=True, level="always", purpose=f"soak {random.random()}")
    while await client.reply():
        pass


def region():
    return {"identifier": f"{random.random()}", "radius": random.uniform(50, 5000),
            "center": {"latitude": 52.5 + random.uniform(-0.1, 0.1), "longitude": 13.37}}


async def monitor(client):
    client.send(LOCATION + "Monitor", more=True, regions=[region() for _ in range(random.randint(1, 10))],
                significantChange={"distance": 100}, visits=True)
    while await client.reply():
        pass


async def monitor_named(client):
    """Uses a name that an earlier client may have left, or that another one has at the moment."""
    name = f"soak {random.randrange(8)}"
    await client.call(LOCATION + "RemoveMonitor", name=name)
    client.send(LOCATION + "Monitor", more=True, name=name, regions=[region()])
    while await client.reply():
        pass


async def administrate(client):
    while True:
        method, parameters = random.choice([
            ("ListClients", {}), ("GetStatistics", {}), ("GetMetrics", {}), ("ListAuthorizations", {}),
            ("GetHistory", {"limit": 100})])
        await client.call(ADMIN + method, **parameters)
        await asyncio.sleep(random.uniform(0.2, 2))


async def stop_reading(client):
    client.send(LOCATION + "Watch", more=True)
    client.writer.transport.pause_reading()
    await asyncio.sleep(3600)


async def disconnect_during_call(client):
    """Disconnects after half a call, or without waiting for the reply."""
    call = request(LOCATION + "GetLocation", timeout=random.uniform(0, 30))
    client.writer.write(call[:random.choice([len(call), random.randrange(1, len(call))])])
    await asyncio.sleep(random.uniform(0, 0.5))


async def send_garbage(client):
    client.writer.write(random.choice([os.urandom(random.randrange(1, 5000)) + b"\0", b"{}\0", b"[" * 9000 + b"\0"]))
    await client.reader.read()


class ClientPool:
    """Keeps a fixed number of clients connected between `start` and `stop`."""

    # The kinds of clients and their relative frequency.
    KINDS = {watch: 12, watch_filtered: 12, watch_once: 6, get_location: 12, request_authorization: 3,
             monitor: 6, monitor_named: 3, administrate: 3, stop_reading: 4, disconnect_during_call: 6, send_garbage: 3}
    # Those that the service may disconnect.
    MISBEHAVING = {stop_reading, disconnect_during_call, send_garbage}
    # Seconds: the median of how long clients stay.
    MEDIAN_STAY = 5

    def __init__(self, path, control, count, overstay):
        self.path, self.control, self.count, self.overstay = path, control, count, overstay
        self.visits, self.errors = collections.Counter(), collections.Counter()
        self.messages = 0
        self.failures = []
        self.overstaying = []
        # Each task runs one client after another.
        self.tasks = []

    async def run_client(self):
        [kind] = random.choices(list(self.KINDS), self.KINDS.values())
        path, uid = (self.control, ROOT) if kind is administrate else (self.path, random.choice(USERS))
        client = SoakClient(self, path, uid)
        self.visits[kind.__name__] += 1
        try:
            await asyncio.wait_for(kind(await client.open()), min(60, random.expovariate(0.7 / self.MEDIAN_STAY)))
        except asyncio.TimeoutError:
            pass
        except (EOFError, ConnectionError) as error:
            if kind not in self.MISBEHAVING:
                self.failures.append(f"{kind.__name__} of uid {client.uid} was ended: {error}")
        finally:
            if self.overstay and sum(self.visits.values()) % self.overstay == 0:
                self.overstaying.append(client)
            else:
                client.close()

    async def run_clients(self):
        while True:
            await self.run_client()

    def start(self):
        self.tasks = [asyncio.create_task(self.run_clients()) for _ in range(self.count)]

    async def cancel(self, tasks):
        running = set(tasks)
        # `wait_for` may swallow a cancellation that coincides with its timeout, so it is repeated.
        while running:
            for task in running:
                task.cancel()
            _, running = await asyncio.wait(running, timeout=0.1)
        self.failures += [f"a client failed: {task.exception()!r}" for task in tasks if not task.cancelled()]

    async def stop(self):
        await self.cancel(self.tasks)
        self.tasks = []

    async def disconnect_half(self):
        leaving = random.sample(self.tasks, len(self.tasks) // 2)
        await self.cancel(leaving)
        staying = [task for task in self.tasks if task not in leaving]
        self.tasks = staying + [asyncio.create_task(self.run_clients()) for _ in leaving]

    async def execute(self, command):
        if command == "start":
            self.start()
        elif command == "stop":
            await self.stop()
            print("stopped", flush=True)
        elif command == "disconnect":
            await self.disconnect_half()
        elif command == "report":
            print(json.dumps({"visits": self.visits, "errors": self.errors, "messages": self.messages,
                              "failures": self.failures[:10]}), flush=True)


async def main():
    path, control, seed, count, overstay = sys.argv[1:]
    random.seed(int(seed))
    pool = ClientPool(path, control, int(count), int(overstay))
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    print("ready", flush=True)
    while line := await commands.readline():
        await pool.execute(line.decode().strip())
    await pool.stop()


if __name__ == "__main__":
    asyncio.run(main())
