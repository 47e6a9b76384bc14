"""A compass behind the system bus, D-Bus' policy, polkit and the service's sandbox.

iio-sensor-proxy needs a sensor, so a program has its name on the bus. Its rules are the real ones: the D-Bus policy of
Debian's package, and polkit, which newer versions of the proxy ask before they give anything.
"""

import json

from patience import until
from scene import expect

PROXY = """
import gi
from gi.repository import Gio, GLib

NAME, PATH = "net.hadess.SensorProxy", "/net/hadess/SensorProxy/Compass"
INTERFACE = Gio.DBusNodeInfo.new_for_xml('''<node><interface name="net.hadess.SensorProxy.Compass">
<method name="ClaimCompass"/><method name="ReleaseCompass"/>
<property name="HasCompass" type="b" access="read"/><property name="CompassHeading" type="d" access="read"/>
</interface></node>''').interfaces[0]


def call(connection, sender, path, interface, method, parameters, invocation):
    if method == "ClaimCompass":
        subject = ("system-bus-name", {"name": GLib.Variant("s", sender)})
        answer = connection.call_sync(
            "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority",
            "CheckAuthorization",
            GLib.Variant("((sa{sv})sa{ss}us)", (subject, "net.hadess.SensorProxy.claim-sensor", {}, 0, "")),
            None, Gio.DBusCallFlags.NONE, -1, None).unpack()
        if not answer[0][0]:
            return invocation.return_dbus_error(NAME + ".Error.NotAuthorized", "polkit refuses")
    invocation.return_value(None)


def read(connection, sender, path, interface, name):
    return GLib.Variant("b", True) if name == "HasCompass" else GLib.Variant("d", 123.0)


Gio.bus_own_name(
    Gio.BusType.SYSTEM, NAME, Gio.BusNameOwnerFlags.NONE,
    lambda bus, name: bus.register_object(PATH, INTERFACE, call, read, None),
    lambda bus, name: print("ready", flush=True), lambda bus, name: print("lost", flush=True))
GLib.MainLoop().run()
"""
# As newer versions of the proxy have it: who has no active session is refused.
ACTION = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE policyconfig PUBLIC "-//freedesktop//DTD PolicyKit Policy Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/PolicyKit/1.0/policyconfig.dtd">
<policyconfig><action id="net.hadess.SensorProxy.claim-sensor">
<description>Claim a sensor</description><message>A sensor is wanted</message>
<defaults><allow_any>no</allow_any><allow_inactive>no</allow_inactive><allow_active>yes</allow_active></defaults>
</action></policyconfig>
"""
CLAIM = ("busctl", "call", "net.hadess.SensorProxy", "/net/hadess/SensorProxy/Compass", "net.hadess.SensorProxy.Compass",
         "ClaimCompass")
SETTINGS = "/etc/locationd/conf.d/compass.toml"


def a_compass_gives_headings(scene):
    machine = scene.machine
    machine.write("/usr/share/polkit-1/actions/net.hadess.SensorProxy.policy", ACTION)
    machine.write("/run/proxy.py", PROXY)
    proxy = machine.start("python3", "/run/proxy.py")
    proxy.line("the proxy's name", lambda line: line == "ready")
    expect(machine.attempt(*CLAIM, user="alice").returncode != 0, "another user is refused")
    machine.write(SETTINGS, '[[sources]]\nkind = "gpsd"\n[[sources]]\nkind = "compass"\n')
    machine.run("systemctl", "reload", "locationd.service")
    watch = machine.start("locctl", "watch", "--heading", "--json")
    line = watch.line("a heading", lambda line: '"heading":{' in line)
    expect(json.loads(line)["heading"]["magneticHeading"] == 123, f"it is the proxy's: {line}")
    watch.end()
    report = machine.run("locctl", "diagnose")
    expect("[ok] compass" in report, report)
    proxy.end()
    until("the missing compass is explained", lambda: "[!!] compass" in machine.attempt("locctl", "diagnose").stdout)
    machine.run("rm", SETTINGS)
    machine.run("systemctl", "reload", "locationd.service")
    scene.sees_fixes()
