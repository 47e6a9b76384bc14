"""Who connects, and what they get."""

import json

from patience import until
from scene import CONTROL, PUBLIC, SOCKETS, UNAUTHORIZED, expect, expect_code

#: What GeoClue does, with Python.
READER = """
import socket
bridge = socket.socket(socket.AF_UNIX)
bridge.connect("/run/locationd/nmea.sock")
for line in bridge.makefile():
    print(line.strip(), flush=True)
"""


def an_ordinary_user_starts_the_service(scene):
    # Whoever may know: the state is everybody's, the position not.
    expect_code(scene.machine.attempt("locctl", "status", "--socket", PUBLIC, user="alice"), UNAUTHORIZED)
    scene.daemon()
    text = until("the service tells its state", lambda: scene.machine.shows("locationd.service", "StatusText"))
    expect("client" in text, f"the state of the service is in words: {text}")


def control_is_refused_to_ordinary_users(scene):
    for words in (["clients"], ["clients", "--socket", CONTROL]):
        said = expect_code(scene.machine.attempt("locctl", *words, user="alice"), UNAUTHORIZED)
        expect("an administrator can" in said, f"locctl says who may: {said}")
    scene.locctl("clients", "--socket", CONTROL, user="bob")


def administrators_are_told_at_login_what_waits(scene):
    machine = scene.machine
    expect_code(machine.attempt("locctl", "request-authorization", "--no-wait", "--socket", PUBLIC, user="alice"), UNAUTHORIZED)
    until("the service tells the request", lambda: "waits" in machine.shows("locationd.service", "StatusText"))
    for user, is_told in ((None, True), ("bob", True), ("alice", False)):
        said = machine.run("bash", "-lic", "true", user=user)
        expect(("1 request for authorization waits" in said) == is_told, f"at the login of {user or 'root'}: {said}")
    scene.locctl("reset-authorization", "user:alice")


def the_first_fix_comes_through_both_sockets(scene):
    machine = scene.machine
    machine.run("systemd-run", "--unit=receiver", "--service-type=notify", "python3", "/mnt/receiver.py")
    expect_code(machine.attempt("locctl", "get", "--socket", PUBLIC, user="alice"), UNAUTHORIZED)
    scene.locctl("authorize", "user:alice")
    fixes = [json.loads(scene.locctl("get", "--json", "--timeout", "60", "--socket", path, user=user))
             for path, user in ((CONTROL, "bob"), (PUBLIC, "alice"))]
    for fix in fixes:
        expect(52.5 <= fix["latitude"] < 52.52, f"the receiver's latitude: {fix['latitude']}")
        expect(not fix["source"]["isSimulated"], "the fix is real")
    expect(machine.shows("gpsd.service", "ActiveState") == "active", "gpsd runs on its own socket's activation")


def use_is_told_from_login_sessions(scene):
    # The first such decision loads libsystemd, inside the sandbox.
    machine = scene.machine
    scene.locctl("authorize", "user:alice", "--when-in-use")
    expect_code(machine.attempt("locctl", "get", "--socket", PUBLIC, user="alice"), UNAUTHORIZED)
    machine.run("systemd-run", "--wait", "--quiet", "--uid=alice", "--property=PAMName=login",
                "locctl", "get", "--timeout", "60", "--socket", PUBLIC)
    scene.locctl("authorize", "user:alice")


def a_client_watches(scene):
    scene.watcher = scene.machine.start("/mnt/watcher", user="alice")
    scene.sees_fixes()
    until("the service tells the fix", lambda: "tracking" in scene.machine.shows("locationd.service", "StatusText"))


def the_bridge_speaks_nmea(scene):
    # As the manual for GeoClue says; sockets are added to a service that does not run.
    machine = scene.machine
    machine.run("useradd", "--system", "--user-group", "geoclue")
    machine.run("systemctl", "stop", *SOCKETS)
    machine.run("systemctl", "enable", "--now", "locationd-nmea.socket")
    machine.run("systemctl", "start", *SOCKETS)
    scene.locctl("authorize", "bridge:nmea")
    reader = machine.start("python3", "-c", READER, user="geoclue")
    reader.line("a position", lambda line: "GGA," in line and ",5230." in line)
    reader.end()
    machine.run("systemctl", "disable", "--now", "locationd-nmea.socket")
    machine.run("systemctl", "restart", "locationd.service")
    scene.sees_fixes()
