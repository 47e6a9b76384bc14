"""A compass on a bus of its own: what iio-sensor-proxy has on the system bus, without a sensor."""

import pathlib
import shutil
import subprocess
import tempfile

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>custom</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/></policy></busconfig>
"""
#: Reads a heading a line, and tells it to everybody.
PROXY = """
import sys
from gi.repository import Gio, GLib

NAME, PATH, COMPASS = "net.hadess.SensorProxy", "/net/hadess/SensorProxy/Compass", "net.hadess.SensorProxy.Compass"
INTERFACE = Gio.DBusNodeInfo.new_for_xml('''<node><interface name="net.hadess.SensorProxy.Compass">
<method name="ClaimCompass"/><method name="ReleaseCompass"/>
<property name="HasCompass" type="b" access="read"/><property name="CompassHeading" type="d" access="read"/>
</interface></node>''').interfaces[0]
bus = Gio.DBusConnection.new_for_address_sync(
    sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
heading = float(sys.argv[2])


def turn(channel, condition):
    global heading
    line = sys.stdin.readline()
    if not line:
        return False
    heading = float(line)
    bus.emit_signal(None, PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                    GLib.Variant("(sa{sv}as)", (COMPASS, {"CompassHeading": GLib.Variant("d", heading)}, [])))
    return True


bus.register_object(
    PATH, INTERFACE, lambda *call: call[-1].return_value(None),
    lambda *call: GLib.Variant("b", True) if call[4] == "HasCompass" else GLib.Variant("d", heading), None)
Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *name: print("ready", flush=True), None)
GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, turn)
GLib.MainLoop().run()
"""


class Compass:
    """Points to `heading`, in degrees from magnetic north, until it is turned."""

    source = '[[sources]]\nkind = "compass"\n'

    def __init__(self, heading):
        self.directory = tempfile.mkdtemp(prefix="locationd-compass-")
        address = f"unix:path={self.directory}/bus"
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": address}
        configuration = pathlib.Path(self.directory, "bus.conf")
        configuration.write_text(BUS.format(path=f"{self.directory}/bus"))
        self.bus = subprocess.Popen(["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address"],
                                    stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.bus.stdout.readline()
        self.proxy = subprocess.Popen(["/usr/bin/python3", "-c", PROXY, address, str(heading)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        if self.proxy.stdout.readline() != "ready\n":
            self.close()
            raise AssertionError("there is no compass")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for process in (self.proxy, self.bus):
            process.kill()
            process.wait()
        shutil.rmtree(self.directory)

    def turn(self, heading):
        self.proxy.stdin.write(f"{heading}\n")
        self.proxy.stdin.flush()
