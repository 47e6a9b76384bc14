"""The position by access points, as a package: the radios are a file here."""

import json

import settings
import takeover
from patience import until
from scene import expect

NAME = "locationd-nearby"
UNIT = "locationd-nearby.service"
KEY = "/etc/locationd/nearby.key"
FILE = "/var/lib/locationd-nearby/places.sqlite"
LINK = "/run/locationd-nearby/link.sock"
OBSERVATIONS = "/run/observations.jsonl"
RECEIVED = {"accessPoints": [{"bssid": f"00:1a:00:00:0{device}:00", "signal": -60, "ssid": "home"} for device in (1, 2, 3)]}
#: A call of the pages' user, whose reply is printed.
CALL = """
import json, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(json.dumps({"method": "org.locationd.nearby." + sys.argv[2], "parameters": json.loads(sys.argv[3])}).encode() + b"\\0")
print(connection.recv(65536).rstrip(b"\\0").decode())
"""
#: A place where the receiver is not, and where the machine may be some seconds after its last fix.
PLACE = (52.535, 13.378)


def a_place_is_known_without_a_receiver(scene):
    machine = scene.machine
    install(scene)
    expect(machine.run("stat", "-c", "%U %a %s", KEY).split() == ["root", "600", "32"], "the key is root's alone")
    expect(machine.run("stat", "-c", "%U %a", FILE).split() == [NAME, "600"], "the file is the service's alone")
    expect(machine.run("stat", "-c", "%U %a", LINK).split() == ["locationd-web", "600"], "one socket is the pages' alone")
    expect("nearby" in sources(scene), "the daemon has the source")
    filters = machine.run("sh", "-c", f"grep -h ^Seccomp: /proc/{machine.shows(UNIT, 'MainPID')}/task/*/status")
    expect(set(filters.split()) == {"Seccomp:", "2"}, f"all of its threads are filtered: {filters}")
    expect("system calls are not filtered" not in machine.run("journalctl", "--no-pager", f"--unit={UNIT}"), "by its own filter, too")
    until("it says why there is no position", lambda: "wireless" in machine.shows(UNIT, "StatusText"))
    machine.write(f"/run/systemd/system/{UNIT}.d/observations.conf",
                  f"[Service]\nExecStart=\nExecStart=/usr/sbin/{NAME} --key %d/key --observations {OBSERVATIONS}\n")
    machine.run("systemctl", "daemon-reload")
    observe(machine)
    machine.run("systemctl", "restart", UNIT)
    learned = scene.locctl("nearby", "learn", *map(str, PLACE))
    expect("3 access points remembered here" in learned, learned)
    place = json.dumps(dict(zip(("latitude", "longitude"), PLACE)))
    expect(call(machine, "Learn", place)["parameters"]["received"] == 3, "the pages can learn")
    expect("PermissionDenied" in call(machine, "Forget", "{}")["error"], "and nothing else")
    machine.run("systemctl", "kill", "--signal=KILL", UNIT)
    until("it comes back", lambda: machine.shows(UNIT, "ActiveState") == "active")
    observe(machine)
    until("it knows the place again", lambda: "tell the place" in machine.shows(UNIT, "StatusText"))
    expect("[ok] nearby" in machine.attempt("locctl", "diagnose").stdout, "so says locctl")

    machine.run("systemctl", "stop", "gpsd.socket", "gpsd.service")
    # What was received before the last fix by satellites counts less than that.
    found = until("the access points tell the position", lambda: observe(machine) or by_access_points(scene))
    expect(abs(found["latitude"] - PLACE[0]) < 0.001 and abs(found["longitude"] - PLACE[1]) < 0.001,
           f"it is where they were learned: {found}")
    machine.run("systemctl", "start", "gpsd.socket")
    scene.sees_fixes()

    refused = machine.attempt("locctl", "nearby", user="alice")
    expect(refused.returncode == 4 and "an administrator can: `sudo locctl nearby`" in refused.stderr, f"{refused}")
    expect("3 access points forgotten" in scene.locctl("nearby", "forget", "--all"), "all is forgotten")
    settings.metrics_come(machine, UNIT, "/etc/locationd/nearby.toml", "locationd_nearby_remembered_access_points 0")
    machine.run("rm", "-r", f"/run/systemd/system/{UNIT}.d")
    machine.run("systemctl", "daemon-reload")
    purge(scene)


def it_gets_nothing_else_taken_over(scene):
    install(scene)
    # The program is behind its own filter of system calls before it reads anything of others.
    attempts = takeover.intrude(scene, NAME, through="/mnt/confined ")
    got = {name for name, line in attempts.items() if "refused" not in line}
    # Whoever may know the position fully may read the track.
    expect(got == {"know the position", "read the track"}, f"the program gets what its rule says: {got}")
    # What the filter is worth: the capability alone suffices for both.
    names = ("configure a network device", "configure a network device by netlink")
    only = "\\n".join(names)
    attempts = takeover.intrude(scene, NAME, f'Environment="INTRUDER_ONLY={only}"\n')
    expect(all("got" in attempts[name] for name in names), f"without the filter it configures the network: {attempts}")
    purge(scene)


def install(scene):
    machine = scene.machine
    [package] = scene.package.parent.glob(f"{NAME}_*.deb")
    machine.run("apt-get", "install", "-y", f"/mnt/{package.name}")
    until("it runs", lambda: machine.shows(UNIT, "ActiveState", "UnitFileState") == ["active", "enabled"])


def purge(scene):
    machine = scene.machine
    machine.run("dpkg", "--purge", NAME)
    for path in (KEY, "/var/lib/locationd-nearby", "/etc/locationd/conf.d/50-locationd-nearby.toml"):
        expect(machine.attempt("test", "-e", path).returncode != 0, f"a purge leaves no {path}")
    expect("nearby" not in sources(scene), "the daemon has the source no more")
    scene.sees_fixes()


def sources(scene):
    """The names of the daemon's sources, where there are several."""
    return [source["name"] for source in scene.status().get("sources", [])]


def call(machine, method, parameters):
    return json.loads(machine.run("python3", "-c", CALL, LINK, method, parameters, user="locationd-web"))


def observe(machine):
    machine.run("sh", "-c", 'echo "$1" >>"$0"', OBSERVATIONS, json.dumps(RECEIVED))


def by_access_points(scene):
    answer = scene.machine.attempt("locctl", "get", "--json", "--timeout", "10")
    location = json.loads(answer.stdout) if answer.returncode == 0 else {}
    return location if location.get("source", {}).get("method") == "network" else None
