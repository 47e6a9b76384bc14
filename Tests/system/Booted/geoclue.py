"""The service for programs that are written for GeoClue, as a package, by Debian's library of GeoClue."""

from patience import until
from scene import expect

PROGRAM = """
import gi
gi.require_version("Geoclue", "2.0")
from gi.repository import Geoclue, GLib
try:
    simple = Geoclue.Simple.new_sync("org.example.map", Geoclue.AccuracyLevel.EXACT, None)
except GLib.Error as error:
    raise SystemExit(error.message)
location = simple.get_location()
print("at", location.props.latitude, location.props.accuracy, flush=True)
simple.connect("notify::location", lambda *_: print("moved", flush=True))
GLib.MainLoop().run()
"""
UNIT = "locationd-geoclue.service"
#: What stands for a desktop's agent, which allows locations and refuses each program.
AGENT = """
from gi.repository import Gio, GLib
NODE = Gio.DBusNodeInfo.new_for_xml('''<node><interface name="org.freedesktop.GeoClue2.Agent">
<method name="AuthorizeApp"><arg direction="in" type="s"/><arg direction="in" type="u"/>
<arg direction="out" type="b"/><arg direction="out" type="u"/></method>
<property name="MaxAccuracyLevel" type="u" access="read"/></interface></node>''')
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
def called(connection, sender, path, interface, method, parameters, invocation):
    print("asked about", *parameters.unpack(), flush=True)
    invocation.return_value(GLib.Variant("(bu)", (False, 0)))
def read(connection, sender, path, interface, name):
    return GLib.Variant("u", 8)
bus.register_object("/org/freedesktop/GeoClue2/Agent", NODE.interfaces[0], called, read, None)
bus.call_sync("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager", "AddAgent",
              GLib.Variant("(s)", ("test",)), None, Gio.DBusCallFlags.NONE, -1, None)
print("known", flush=True)
GLib.MainLoop().run()
"""


def the_bus_serves_programs_of_geoclue(scene):
    machine = scene.machine
    packages = [next(scene.package.parent.glob(f"{name}_*.deb")) for name in ("locationd-bridge", "locationd-geoclue")]
    machine.run("apt-get", "install", "-y", *(f"/mnt/{package.name}" for package in packages))
    expect(machine.shows(UNIT, "ActiveState") == "inactive", "it is started by the bus alone")
    machine.run("sh", "-c", "printf '[service]\\nidle-exit = 1\\n' >/etc/locationd/bridge.toml")
    [uid] = machine.run("id", "-u", "carol").split()
    program = machine.start("python3", "-c", PROGRAM, user="carol")
    until("it is pending", lambda: f"uid:{uid}" in scene.locctl("authorizations"))
    scene.locctl("authorize", f"uid:{uid}")
    program.line("a position", lambda line: line.startswith("at 52.5"))
    program.line("the next one", lambda line: line.startswith("moved"))
    expect("GeoClue: org.example.map" in scene.locctl("clients"), "it is seen among the clients")
    machine.run("systemctl", "kill", "--signal=KILL", UNIT)
    program.end()
    agent = machine.start("python3", "-c", AGENT, user="carol")
    agent.line("that it is known", lambda line: line == "known")
    refused = machine.start("python3", "-c", PROGRAM, user="carol")
    refused.line("the agent's refusal", lambda line: "AccessDenied" in line or "refuses" in line)
    agent.line("what it was asked", lambda line: line == "asked about org.example.map 8")
    for ended in (refused, agent):
        ended.end()
    scene.locctl("deny", f"uid:{uid}")
    denied = machine.start("python3", "-c", PROGRAM, user="carol")
    denied.line("a refusal", lambda line: "AccessDenied" in line)
    denied.end()
    until("it ends when nobody needs it", lambda: machine.shows(UNIT, "ActiveState") == "inactive")
    level = machine.run("busctl", "get-property", "org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager",
                        "org.freedesktop.GeoClue2.Manager", "AvailableAccuracyLevel")
    expect(level.split() == ["u", "8"], f"it starts again with the next call: {level}")
    scene.locctl("reset-authorization", f"uid:{uid}")
    machine.run("dpkg", "--purge", "locationd-geoclue", "locationd-bridge")
    expect(machine.shows(UNIT, "ActiveState") == "inactive", "it ends with its package")
    scene.sees_fixes()
