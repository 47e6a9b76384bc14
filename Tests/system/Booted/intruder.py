"""What somebody does who has taken a program over: it runs as that program's user, in its sandbox, in place of it.

    intruder.py STATE... -- PID...

STATE: the folders of the other programs. PID: the processes of the other programs. The environment variable INTRUDER_ONLY has
the names of the attempts to make, one a line; without it all are made. Each prints a line in JSON: its name, and that it was
refused, or what it got.
"""

import fcntl
import json
import os
import socket
import struct
import sys
import time

PUBLIC, CONTROL = "/run/locationd/locationd.sock", "/run/locationd/control.sock"
WEB_CONTROL, WEB_LINK = "/run/locationd/web-control.sock", "/run/locationd/web.sock"
TRACK, FLEET = "/run/locationd-history/history.sock", "/run/locationd/fleet-devices.sock"
#: Answers that say that the caller may not.
REFUSALS = ("org.varlink.service.PermissionDenied", "org.varlink.service.InterfaceNotFound",
            "org.locationd.location.NotAuthorized", "org.locationd.location.NotPermitted", "org.locationd.history.NotAuthorized")
ROOT = {"uid": 0, "label": "intruder"}
ADMIN = {
    "Stop": {}, "Start": {}, "Suspend": {}, "Reload": {}, "ListClients": {}, "ListAuthorizations": {}, "GetHistory": {},
    "GetStatistics": {}, "ListMonitors": {}, "SetLogLevel": {"level": "debug"}, "Disconnect": {"id": 1},
    "SetSource": {"name": "gpsd", "enabled": False},
    "Simulate": {"location": {"latitude": 1.0, "longitude": 1.0, "horizontalAccuracy": 1.0}},
    "SetAuthorization": {"principal": f"uid:{os.getuid()}", "authorization": "authorizedAlways", "accuracy": "full"},
    "ResetAuthorization": {"principal": "user:alice"}, "ForgetMonitors": {"principal": "user:alice"},
    "CreateToken": {}, "RevokeToken": {"token": "A" * 43},
}
ATTEMPTS = {}


class Refused(Exception):
    """The answer is that the caller may not."""


def attempt(name):
    def add(function):
        ATTEMPTS[name] = function
        return function
    return add


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(path)
    return connection


def call(path, method, **parameters):
    """The first reply's parameters."""
    with connect(path) as connection:
        connection.sendall(json.dumps({"method": method, "parameters": parameters}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            part = connection.recv(65536)
            if not part:
                raise Refused("the connection is closed")
            answer += part
    reply = json.loads(answer.split(b"\0")[0])
    if reply.get("error") in REFUSALS:
        raise Refused(f'{reply["error"]} {reply.get("parameters")}')
    if "error" in reply:
        # A call that is wrong in another way proves nothing.
        raise ValueError(f'{method}: {reply["error"]} {reply.get("parameters")}')
    return reply.get("parameters")


def connects(path):
    with connect(path):
        return "connected"


@attempt("connect to the control socket")
def _():
    return connects(CONTROL)


@attempt("connect to the socket of administrators' links")
def _():
    return connects(WEB_CONTROL)


@attempt("connect to the list of the fleet's devices")
def _():
    return connects(FLEET)


for path in (PUBLIC, CONTROL):
    for method, parameters in ADMIN.items():
        for how, extra in (("", {}), (" on behalf of root", {"onBehalfOf": ROOT}),
                           (" with an invented token", {"onBehalfOf": ROOT, "token": "A" * 43})):
            attempt(f"{method} at {os.path.basename(path)}{how}")(
                lambda path=path, method=method, all={**parameters, **extra}:
                call(path, f"org.locationd.admin.{method}", **all))


@attempt("know the position")
def _():
    return call(PUBLIC, "org.locationd.location.GetLocation", timeout=20)


@attempt("see the programs of all users that use the position")
def _():
    return call(PUBLIC, "org.locationd.location.WatchUsage", all=True)


@attempt("name another user")
def _():
    return call(PUBLIC, "org.locationd.location.GetStatus", onBehalfOf=ROOT)


@attempt("read the track")
def _():
    return call(TRACK, "org.locationd.history.GetTrips")


@attempt("read the track for root")
def _():
    return call(TRACK, "org.locationd.history.GetTrips", user=0)


@attempt("pause the track for root")
def _():
    call(TRACK, "org.locationd.history.Pause", user=0)
    return call(TRACK, "org.locationd.history.Resume", user=0)


@attempt("write a rule of the policy")
def _():
    return writes("/etc/locationd/policy.d/00-intruder.toml")


@attempt("put a socket beside the daemon's")
def _():
    return writes("/run/locationd/intruder.sock")


@attempt("remove the daemon's socket")
def _():
    return os.unlink(PUBLIC)


def writes(path):
    with open(path, "x"):
        os.unlink(path)
        return "written"


@attempt("stop the daemon by systemd")
def _():
    with connect("/run/dbus/system_bus_socket") as bus:
        bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not bus.recv(1024).startswith(b"OK"):
            raise ValueError("the bus does not know the user")
        bus.sendall(b"BEGIN\r\n")
        replies = bus.makefile("rb")
        try:
            bus_call(bus, replies, 1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
            bus_call(bus, replies, 2, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                     "org.freedesktop.systemd1.Manager", "StopUnit", "locationd.service", "replace")
        except ConnectionError as error:
            # Of a user whom the system's files do not name, such as one who exists while a service runs.
            raise Refused(f"the bus closes the connection: {error}") from None
    return "stopped"


def bus_call(bus, replies, serial, destination, path, interface, member, *texts):
    """A call of the system bus, whose libraries the sandbox may not let start."""
    def text(value):
        return struct.pack("<I", len(value)) + value.encode() + b"\0"

    def padded(data, boundary):
        return data + bytes(-len(data) % boundary)

    body = b""
    for value in texts:
        body = padded(body, 4) + text(value)
    fields = b""
    for code, kind, value in ((1, b"o", path), (6, b"s", destination), (2, b"s", interface), (3, b"s", member)):
        fields = padded(fields, 8) + bytes([code, 1]) + kind + b"\0" + text(value)
    if texts:
        fields = padded(fields, 8) + b"\x08\x01g\0" + bytes([len(texts)]) + b"s" * len(texts) + b"\0"
    head = b"l\x01\0\x01" + struct.pack("<III", len(body), serial, len(fields))
    bus.sendall(padded(head + fields, 8) + body)
    while True:
        head = replies.read(16)
        if len(head) < 16:
            raise ConnectionError("there is no reply")
        length, _, size = struct.unpack("<III", head[4:])
        content = replies.read(size + -size % 8 + length)
        if head[1] == 2:
            return
        if head[1] == 3:
            if b"AccessDenied" in content or b"InteractiveAuthorizationRequired" in content:
                raise Refused(content[-length:].decode(errors="replace"))
            raise ValueError(content)


@attempt("configure a network device")
def _():
    # Up, as the first one is.
    with socket.socket(socket.AF_UNIX) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1))
    return "configured"


@attempt("configure a network device by netlink")
def _():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as routes:
        # RTM_SETLINK, which is to be acknowledged, of the first device: up, as it is.
        routes.send(struct.pack("=IHHII", 32, 19, 5, 1, 0) + struct.pack("=BxHiII", 0, 0, 1, 1, 1))
        error = struct.unpack_from("=i", routes.recv(4096), 16)[0]
    if error:
        raise OSError(-error, os.strerror(-error))
    return "configured"


def reads(folder):
    """The names in a folder, and its files' first bytes."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if os.path.isfile(path):
            with open(path, "rb") as file:
                file.read(1)
    return "read"


def main():
    separator = sys.argv.index("--")
    for folder in sys.argv[1:separator]:
        attempt(f"read {folder}")(lambda folder=folder: reads(folder))
    for process in map(int, sys.argv[separator + 1:]):
        attempt(f"kill {process}")(lambda process=process: os.kill(process, 0))
        attempt(f"read the memory of {process}")(lambda process=process: open(f"/proc/{process}/mem", "rb").close())
    chosen = os.environ.get("INTRUDER_ONLY", "\n".join(ATTEMPTS)).split("\n")
    for name in chosen:
        function, line = ATTEMPTS[name], {"attempt": name}
        try:
            line["got"] = str(function())[:200]
        except (Refused, PermissionError, ProcessLookupError, FileNotFoundError) as error:
            line["refused"] = str(error)
        except OSError as error:
            # The sandbox's other ways of saying no: a read-only system, a family of sockets that it does not allow.
            line["refused" if error.errno in (30, 97) else "failed"] = str(error)
        except Exception as error:
            line["failed"] = f"{type(error).__name__}: {error}"
        print(json.dumps(line), flush=True)
        # The limit of calls a second is not what shall refuse it.
        time.sleep(0.1)


main()
