"""The bridge for programs that are written for gpsd, as a package."""

import json

from patience import until
from scene import expect

READER = """
import socket
connection = socket.create_connection(("127.0.0.1", 2948))
connection.sendall(b'?WATCH={"enable":true,"json":true};')
for line in connection.makefile():
    print(line.strip(), flush=True)
"""


def the_bridge_serves_programs_of_gpsd(scene):
    machine = scene.machine
    [package] = scene.package.parent.glob("locationd-bridge_*.deb")
    machine.run("apt-get", "install", "-y", f"/mnt/{package.name}")
    expect(machine.shows("locationd-bridge.socket", "ActiveState", "UnitFileState") == ["inactive", "disabled"],
           "it is off until an administrator enables it")
    machine.run("useradd", "carol")
    machine.run("systemctl", "enable", "--now", "locationd-bridge.socket")
    reader = machine.start("python3", "-c", READER, user="carol")
    refusal = reader.line("what to do", lambda line: '"class":"ERROR"' in line)
    [uid] = machine.run("id", "-u", "carol").split()
    expect(f"locctl authorize uid:{uid}" in json.loads(refusal)["message"], refusal)
    scene.locctl("authorize", f"uid:{uid}")
    reader.line("a position", lambda line: '"class":"TPV"' in line and '"lat":52.5' in line)
    expect("gpsd client" in scene.locctl("clients"), "it is seen among the clients")
    machine.run("systemctl", "kill", "--signal=KILL", "locationd-bridge.service")
    until("the bridge is started again", lambda: machine.shows("locationd-bridge.service", "ActiveState") == "active")
    reader.end()
    scene.locctl("reset-authorization", f"uid:{uid}")
    machine.run("dpkg", "--purge", "locationd-bridge")
    expect(machine.shows("locationd-bridge.service", "ActiveState") == "inactive", "it ends with its package")
    scene.sees_fixes()
