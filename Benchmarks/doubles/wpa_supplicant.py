"""wpa_supplicant on a D-Bus of the benchmark's own, as far as GeoClue asks it: one interface that receives some access points.

    wpa_supplicant.py ADDRESS COUNT

Prints "ready" when it is on the bus, and a line for each scan that it is asked for. It needs python3-gi.
"""

import sys

from gi.repository import Gio, GLib

NAME, PATH = "fi.w1.wpa_supplicant1", "/fi/w1/wpa_supplicant1"
INTERFACE = f"{PATH}/Interfaces/0"
DESCRIPTIONS = Gio.DBusNodeInfo.new_for_xml(f"""<node>
  <interface name="{NAME}">
    <property name="Interfaces" type="ao" access="read"/>
    <signal name="InterfaceAdded"><arg type="o"/><arg type="a{{sv}}"/></signal>
    <signal name="InterfaceRemoved"><arg type="o"/></signal>
  </interface>
  <interface name="{NAME}.Interface">
    <method name="Scan"><arg type="a{{sv}}" direction="in"/></method>
    <signal name="ScanDone"><arg type="b"/></signal>
    <signal name="BSSAdded"><arg type="o"/><arg type="a{{sv}}"/></signal>
    <signal name="BSSRemoved"><arg type="o"/></signal>
    <property name="BSSs" type="ao" access="read"/>
    <property name="State" type="s" access="read"/>
    <property name="Ifname" type="s" access="read"/>
  </interface>
  <interface name="{NAME}.BSS">
    <property name="SSID" type="ay" access="read"/>
    <property name="BSSID" type="ay" access="read"/>
    <property name="Signal" type="n" access="read"/>
    <property name="Frequency" type="q" access="read"/>
    <property name="Age" type="u" access="read"/>
  </interface>
</node>""")


def bssid(number):
    """The address of an access point of that number."""
    return [0x00, 0x1A, 0x00, 0x00, number, 0x00]


def properties_of(path):
    """Every property of an object."""
    if path == PATH:
        return {"Interfaces": GLib.Variant("ao", [INTERFACE])}
    if path == INTERFACE:
        return {"BSSs": GLib.Variant("ao", stations), "State": GLib.Variant("s", "inactive"), "Ifname": GLib.Variant("s", "wlan0")}
    return {"SSID": GLib.Variant("ay", b"home"), "BSSID": GLib.Variant("ay", bytes(bssid(stations.index(path) + 1))),
            "Signal": GLib.Variant("n", -60), "Frequency": GLib.Variant("q", 2437), "Age": GLib.Variant("u", 0)}


def called(connection, sender, path, interface, method, parameters, invocation):
    invocation.return_value(None)
    print(method, flush=True)
    connection.emit_signal(None, path, interface, "ScanDone", GLib.Variant("(b)", (True,)))


def main():
    connection = Gio.DBusConnection.new_for_address_sync(
        sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

    def property_of(connection, sender, path, interface, name):
        return properties_of(path)[name]

    kinds = {PATH: NAME, INTERFACE: f"{NAME}.Interface"} | {path: f"{NAME}.BSS" for path in stations}
    for path, kind in kinds.items():
        connection.register_object(path, DESCRIPTIONS.lookup_interface(kind), called, property_of, None)
    Gio.bus_own_name_on_connection(connection, NAME, 0, lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()


stations = [f"{INTERFACE}/BSSs/{number}" for number in range(int(sys.argv[2]))]
main()
