"""The places service: its packages, and what the sandbox lets it do."""

import json
import time

from patience import until
from scene import expect

SOCKET = "/run/locationd/places.sock"
UNITS = ("locationd-places.socket", "locationd-places.service")
DROP_INS = "/etc/systemd/system/locationd-places.service.d"
#: Asks what is in the middle of Berlin, and prints the answer.
CALL = """
import socket
places = socket.socket(socket.AF_UNIX)
places.settimeout(60)
places.connect("/run/locationd/places.sock")
places.sendall(b'{"method":"org.locationd.places.ReverseGeocode",'
               b'"parameters":{"latitude":52.52,"longitude":13.405,"locale":"de"}}\\0')
answer = b""
while not answer.endswith(b"\\0"):
    answer += places.recv(65536) or exit("the connection ended")
print(answer[:-1].decode())
"""
#: A provider that knows one street, as Photon says it.
PROVIDER = """
import http.server, json
class Photon(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        street = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.405, 52.52]},
                  "properties": {"street": "Spandauer Strasse", "city": "Berlin", "countrycode": "DE"}}
        text = json.dumps({"type": "FeatureCollection", "features": [street]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
http.server.HTTPServer(("127.0.0.1", 2322), Photon).serve_forever()
"""


def the_places_packages_install(scene):
    machine = scene.machine
    machine.run("sh", "-c", "apt-get install -y /mnt/locationd-places_*.deb /mnt/locationd-geodata_*.deb")
    expect(machine.shows(UNITS[0], "ActiveState", "UnitFileState") == ["active", "enabled"], "the socket listens")
    expect(machine.shows(UNITS[1], "ActiveState") == "inactive", "the service waits for a client")
    expect(machine.run("stat", "-c", "%a %U", SOCKET) == "666 root\n", "everybody may connect")
    remarks = machine.attempt("systemd-analyze", "verify", "--man=no", *UNITS)
    expect(remarks.stdout + remarks.stderr == "", "systemd has nothing to say of the units: " + remarks.stderr)
    machine.run("locationd-places", "--check-config")


def an_ordinary_user_asks_for_a_place(scene):
    [placemark] = ask(scene)["parameters"]["placemarks"][:1]
    expect("Berlin" in placemark["administrativeArea"] and placemark["country"] == "Deutschland",
           f"it is Berlin: {placemark}")
    expect(placemark["timeZone"] == "Europe/Berlin" and placemark["attribution"], f"it is complete: {placemark}")
    process = scene.machine.shows(UNITS[1], "MainPID")
    user = scene.machine.run("ps", "-o", "uid=", "-p", process).strip()
    expect(int(user) >= 61184, f"the service has a user of its own while it runs: {user}")


def the_places_end_when_nobody_asks(scene):
    machine = scene.machine
    machine.write("/etc/locationd/places.toml", "[service]\nidle-exit = 1\n")
    machine.run("systemctl", "stop", UNITS[1])
    # Some come before the end, some after it, and some in that very moment.
    for pause in (0, 0.9, 1, 1.05, 1.1):
        time.sleep(pause)
        expect("parameters" in ask(scene), "who comes is answered")
    until("the service ends by itself", lambda: machine.shows(UNITS[1], "ActiveState", "Result")
          == ["inactive", "success"])
    expect(machine.shows(UNITS[0], "ActiveState") == "active", "the socket still listens")


def a_provider_of_places_needs_the_drop_in(scene):
    machine = scene.machine
    machine.run("systemd-run", "--unit=provider", "python3", "-c", PROVIDER)
    machine.write("/etc/locationd/places.toml", """[online]
provider = "photon"
url = "http://127.0.0.1:2322"
contact = "admin@example.org"
""")
    machine.run("systemctl", "stop", UNITS[1])
    answer = ask(scene)
    expect(answer.get("error") == "org.locationd.places.PartialResult", f"the sandbox has no network: {answer}")
    expect(answer["parameters"]["placemarks"][0]["countryCode"] == "DE", f"the database is asked: {answer}")
    machine.run("install", "-D", "-t", DROP_INS, "/usr/share/doc/locationd-places/examples/online-places.conf")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "stop", UNITS[1])
    [street] = ask(scene)["parameters"]["placemarks"]
    expect(street["thoroughfare"] == "Spandauer Strasse" and street["timeZone"] == "Europe/Berlin",
           f"both are asked: {street}")
    machine.run("systemctl", "stop", "provider", UNITS[1])
    expect("Spandauer Strasse" in json.dumps(ask(scene)), "what it answered is kept")
    machine.run("rm", "-r", DROP_INS)
    machine.run("systemctl", "daemon-reload")


def purged_places_leave_nothing(scene):
    machine = scene.machine
    machine.run("dpkg", "--purge", "locationd-places", "locationd-geodata")
    left = machine.run("find", "/etc", "/run", "/usr", "/var", "/lib", "-xdev", "(", "-name", "*places.s*", "-o", "-name",
                       "*locationd-*places*", "-o", "-name", "*geodata*", ")")
    expect(left == "", "files are left:\n" + left)
    machine.run("ls", "/run/locationd/locationd.sock")


def ask(scene):
    return json.loads(scene.machine.run("python3", "-c", CALL, user="alice"))
