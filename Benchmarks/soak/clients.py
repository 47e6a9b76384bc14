"""The clients of a soak that come and go: so many at a time, each of a kind, for a user and a while that chance chooses.

    python3 -m soak.clients SOCKET CONTROL-SOCKET SEED CLIENTS OVERSTAY

Says "ready" and does what its input says, line by line: "come" brings the clients in; "vanish" has half of them go in
the middle of what they do; "leave" has all of them go and is answered "gone"; "report" is answered by a line of JSON.
Of OVERSTAY clients one never goes (0: all go).
"""

import asyncio
import collections
import json
import os
import random
import socket
import sys

from library import harness as stage
from library.client import request

LOCATION, ADMIN = "org.locationd.location.", "org.locationd.admin."
ROOT, GRANTED, REDUCED, DENIED, UNDECIDED, WAVERING = 0, 62_001, 62_002, 62_003, 62_004, 62_005
USERS = [ROOT, GRANTED, REDUCED, DENIED, UNDECIDED, WAVERING]
# What a client may be told at any time, by what it asks or by who it is.
USUAL = {"Disabled", "TimedOut", "LocationUnavailable", "NotAuthorized", "TooManyRequests", "TooManyAuthorizations",
         "NoSuchMonitor", "MonitorInUse"}


class Guest:
    """One connection of one user's. It notices what that user must not be told."""

    def __init__(self, crowd, path, uid):
        self.crowd, self.uid = crowd, uid
        self.socket = socket.socket(socket.AF_UNIX)
        with stage.user(uid):
            self.socket.connect(path)
        self.socket.setblocking(False)
        self.is_denied = uid == DENIED
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(sock=self.socket, limit=1 << 22)
        return self

    def send(self, method, more=False, **parameters):
        self.writer.write(request(method, more, **parameters))

    async def reply(self):
        """The next message's parameters."""
        message = json.loads((await self.reader.readuntil(b"\0"))[:-1])
        self.crowd.messages += 1
        if "error" in message:
            name = message["error"].rpartition(".")[2]
            self.crowd.errors[name] += 1
            if name not in USUAL:
                self.crowd.broken.append(f"uid {self.uid} was told {message}")
        parameters = message.get("parameters", {})
        if status := parameters.get("status"):
            self.is_denied = status["authorization"] in ("denied", "notDetermined", "restricted")
        location = parameters.get("location") or (parameters.get("region") or {}).get("location")
        if location and self.is_denied:
            self.crowd.broken.append(f"uid {self.uid}, which is denied, was told {message}")
        if location and self.uid == REDUCED and location.keys() & {"altitude", "speed", "course"}:
            self.crowd.broken.append(f"uid {self.uid}, whose accuracy is reduced, was told {message}")
        return parameters

    async def call(self, method, **parameters):
        self.send(method, **parameters)
        return await self.reply()

    def close(self):
        """Goes at once, whatever is unread."""
        if self.writer:
            self.writer.transport.abort()
        else:
            self.socket.close()


async def watch(guest):
    """Without a filter every gap is counted as dropped."""
    guest.send(LOCATION + "Watch", more=True)
    sequence = gap = 0
    while reply := await guest.reply():
        gap += reply.get("dropped", 0)
        if location := reply.get("location"):
            if sequence and guest.uid in (ROOT, GRANTED) and location["sequence"] - sequence - 1 != gap:
                guest.crowd.broken.append(f"after {sequence} came {location['sequence']}, {gap} counted as dropped")
            sequence, gap = location["sequence"], 0


async def watch_filtered(guest):
    guest.send(LOCATION + "Watch", more=True, **random.choice([
        {"distanceFilter": random.uniform(1, 100)}, {"minimumInterval": random.uniform(0.2, 5)},
        {"requiredAccuracy": random.uniform(1, 100)}, {"heading": True, "satellites": True},
        {"passive": True, "everySource": True}, {"location": False, "satellites": True}]), purpose="soak")
    while await guest.reply():
        pass


async def watch_once(guest):
    guest.send(LOCATION + "Watch", more=True, maximumUpdates=1)
    while "location" not in await guest.reply():
        pass


async def ask_location(guest):
    while True:
        await guest.call(LOCATION + "GetLocation", maximumAge=random.choice([0, 5]), timeout=random.uniform(0.1, 3))
        await asyncio.sleep(random.uniform(0.2, 2))


async def ask_status(guest):
    while True:
        await guest.call(LOCATION + "GetStatus")
        await asyncio.sleep(random.uniform(0.2, 2))


async def ask_authorization(guest):
    guest.send(LOCATION + "RequestAuthorization", more=True, level="always", purpose=f"soak {random.random()}")
    while await guest.reply():
        pass


def region():
    return {"identifier": f"{random.random()}", "radius": random.uniform(50, 5000),
            "center": {"latitude": 52.5 + random.uniform(-0.1, 0.1), "longitude": 13.37}}


async def monitor(guest):
    guest.send(LOCATION + "Monitor", more=True, regions=[region() for _ in range(random.randint(1, 10))],
               significantChange={"distance": 100}, visits=True)
    while await guest.reply():
        pass


async def monitor_kept(guest):
    """Takes a name that a guest before may have left, or may have now."""
    name = f"soak {random.randrange(8)}"
    await guest.call(LOCATION + "RemoveMonitor", name=name)
    guest.send(LOCATION + "Monitor", more=True, name=name, regions=[region()])
    while await guest.reply():
        pass


async def administrate(guest):
    while True:
        method, parameters = random.choice([
            ("ListClients", {}), ("GetStatistics", {}), ("GetMetrics", {}), ("ListAuthorizations", {}),
            ("GetHistory", {"limit": 100})])
        await guest.call(ADMIN + method, **parameters)
        await asyncio.sleep(random.uniform(0.2, 2))


async def stop_reading(guest):
    """Takes nothing of what comes."""
    guest.send(LOCATION + "Watch", more=True)
    guest.writer.transport.pause_reading()
    await asyncio.sleep(3600)


async def leave_in_the_middle(guest):
    """Goes after half a call, or without waiting for what it asked."""
    call = request(LOCATION + "GetLocation", timeout=random.uniform(0, 30))
    guest.writer.write(call[:random.choice([len(call), random.randrange(1, len(call))])])
    await asyncio.sleep(random.uniform(0, 0.5))


async def talk_nonsense(guest):
    guest.writer.write(random.choice([os.urandom(random.randrange(1, 5000)) + b"\0", b"{}\0", b"[" * 9000 + b"\0"]))
    await guest.reader.read()


class Crowd:
    """Keeps so many guests in while it is told to."""

    # The kinds, and how often each comes among the others.
    KINDS = {watch: 12, watch_filtered: 12, watch_once: 6, ask_location: 8, ask_status: 8, ask_authorization: 3,
             monitor: 6, monitor_kept: 3, administrate: 3, stop_reading: 4, leave_in_the_middle: 6, talk_nonsense: 3}
    # Those the service may show the door.
    UNRULY = {stop_reading, leave_in_the_middle, talk_nonsense}
    # Seconds that half of the guests stay longer than.
    STAY = 5

    def __init__(self, path, control, clients, overstay):
        self.path, self.control, self.clients, self.overstay = path, control, clients, overstay
        self.visits, self.errors = collections.Counter(), collections.Counter()
        self.messages = 0
        self.broken = []
        self.overstaying = []
        self.places = []

    async def visit(self):
        [kind] = random.choices(list(self.KINDS), self.KINDS.values())
        guest = Guest(self, *((self.control, ROOT) if kind is administrate else (self.path, random.choice(USERS))))
        self.visits[kind.__name__] += 1
        try:
            await asyncio.wait_for(kind(await guest.open()), min(60, random.expovariate(0.7 / self.STAY)))
        except asyncio.TimeoutError:
            pass
        except (EOFError, ConnectionError) as error:
            if kind not in self.UNRULY:
                self.broken.append(f"{kind.__name__} of uid {guest.uid} was ended: {error}")
        finally:
            if self.overstay and sum(self.visits.values()) % self.overstay == 0:
                self.overstaying.append(guest)
            else:
                guest.close()

    async def place(self):
        """Where one guest follows another."""
        while True:
            await self.visit()

    async def fill(self):
        self.places = [asyncio.create_task(self.place()) for _ in range(self.clients)]

    async def empty(self, places):
        staying = set(places)
        # Told again where the end of a stay came between.
        while staying:
            for place in staying:
                place.cancel()
            _, staying = await asyncio.wait(staying, timeout=0.1)
        self.broken += [f"a guest broke: {place.exception()!r}" for place in places if not place.cancelled()]

    async def obey(self, command):
        if command == "come":
            await self.fill()
        elif command == "leave":
            await self.empty(self.places)
            self.places = []
            print("gone", flush=True)
        elif command == "vanish":
            leaving = random.sample(self.places, len(self.places) // 2)
            await self.empty(leaving)
            staying = [place for place in self.places if place not in leaving]
            self.places = staying + [asyncio.create_task(self.place()) for _ in leaving]
        elif command == "report":
            print(json.dumps({"visits": self.visits, "errors": self.errors, "messages": self.messages,
                              "broken": self.broken[:10]}), flush=True)


async def main():
    path, control, seed, clients, overstay = sys.argv[1:]
    random.seed(int(seed))
    crowd = Crowd(path, control, int(clients), int(overstay))
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    print("ready", flush=True)
    while line := await commands.readline():
        await crowd.obey(line.decode().strip())
    await crowd.empty(crowd.places)


if __name__ == "__main__":
    asyncio.run(main())
