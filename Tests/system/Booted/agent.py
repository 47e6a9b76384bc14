"""The question to the person at the screen, as a package: a login at a seat, the user's own service manager, polkit and a password."""

import json

import geoclue
from patience import until
from scene import UNAUTHORIZED, expect, expect_code

NAME = "locationd-agent"
RULE = "/etc/locationd/policy.d/50-locationd-agent.toml"
ACTIONS = "/usr/share/polkit-1/actions/org.locationd.policy"
BRIDGES = ("locationd-bridge", "locationd-geoclue")
PASSWORD = "correct horse"

#: What stands for a desktop, within carol's login: a session's bus, a notification server on which a person presses the first
#: button of the question, and a terminal on which the person gives the password that polkit's text agent asks for.
DESKTOP = """
import os, pty, subprocess, sys, termios, threading, time
from gi.repository import Gio, GLib
address = f"unix:path={os.environ['XDG_RUNTIME_DIR']}/bus"
bus = subprocess.Popen(["dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile", "--print-address=1"],
                       stdout=subprocess.PIPE, text=True)
bus.stdout.readline()
NAME = "org.freedesktop.Notifications"
NODE = Gio.DBusNodeInfo.new_for_xml('''<node><interface name="org.freedesktop.Notifications">
<method name="GetCapabilities"><arg direction="out" type="as"/></method>
<method name="Notify"><arg direction="in" type="s"/><arg direction="in" type="u"/><arg direction="in" type="s"/>
<arg direction="in" type="s"/><arg direction="in" type="s"/><arg direction="in" type="as"/><arg direction="in" type="a{sv}"/>
<arg direction="in" type="i"/><arg direction="out" type="u"/></method>
<method name="CloseNotification"><arg direction="in" type="u"/></method>
<signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal></interface></node>''')
connection = Gio.DBusConnection.new_for_address_sync(
    address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
def called(connection, sender, path, interface, method, parameters, invocation):
    if method == "GetCapabilities":
        return invocation.return_value(GLib.Variant("(as)", (["actions", "body"],)))
    if method == "CloseNotification":
        print("closed", flush=True)
        return invocation.return_value(None)
    summary, body, actions = parameters.unpack()[3:6]
    print("shown", summary, "|", body.replace("\\n", " "), "|", ",".join(actions), flush=True)
    invocation.return_value(GLib.Variant("(u)", (7,)))
    # What is offered afterwards is not taken.
    if "while-logged-in" in actions:
        connection.emit_signal(None, path, interface, "ActionInvoked", GLib.Variant("(us)", (7, "while-logged-in")))
connection.register_object("/org/freedesktop/Notifications", NODE.interfaces[0], called, None, None)
Gio.bus_own_name_on_connection(connection, NAME, Gio.BusNameOwnerFlags.NONE, None, None)
subprocess.run(["systemctl", "--user", "start", "locationd-agent.service"], check=True)
agent = subprocess.run(["systemctl", "--user", "show", "--property=MainPID", "--value", "locationd-agent.service"],
                       check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
def terminal():
    process, end = pty.fork()
    if process == 0:
        os.execvp("pkttyagent", ["pkttyagent", "--process", agent])
    while data := os.read(end, 4096):
        if b"assword" in data:
            # What is typed before the terminal is silent is thrown away.
            while termios.tcgetattr(end)[3] & termios.ECHO:
                time.sleep(0.01)
            print("asked for a password", flush=True)
            os.write(end, (sys.argv[1] + "\\n").encode())
threading.Thread(target=terminal, daemon=True).start()
print("ready", flush=True)
GLib.MainLoop().run()
"""
#: A terminal of a session at the seat: runs a command, and gives the password where it is asked for.
TERMINAL = """
import os, pty, sys, termios, time
process, end = pty.fork()
if process == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said, answered = b"", 0
try:
    while data := os.read(end, 4096):
        said += data
        if said.count(b"assword:") > answered:
            answered += 1
            # What is typed before the terminal is silent is thrown away.
            while termios.tcgetattr(end)[3] & termios.ECHO:
                time.sleep(0.01)
            os.write(end, (sys.argv[1] + "\\n").encode())
except OSError:
    pass
print(said.decode(), "code", os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""


def the_person_at_the_screen_decides(scene):
    machine = scene.machine
    # Another check may have made her already.
    machine.attempt("useradd", "carol")
    before = machine.attempt("locctl", "authorize", "me", "--when-in-use", user="carol")
    expect("the policy does not let you decide" in expect_code(before, UNAUTHORIZED), "without the package nobody is asked")
    packages = [next(scene.package.parent.glob(f"{name}_*.deb")) for name in (*BRIDGES, NAME)]
    daemon = scene.daemon()
    machine.run("apt-get", "install", "-y", *(f"/mnt/{package.name}" for package in packages))
    expect(scene.daemon() == daemon, "the daemon reads the rule without a restart")
    [uid] = machine.run("id", "-u", "carol").split()
    # A process outside of any session, as one over SSH is outside of a seat's.
    remote = machine.attempt("locctl", "authorize", "me", "--when-in-use", user="carol")
    expect("polkit refuses it" in expect_code(remote, UNAUTHORIZED), f"who is not at the machine is refused: {remote.stderr}")

    machine.run("sh", "-c", f"echo 'carol:{PASSWORD}' | chpasswd")
    desktop = logged_in(scene)
    desktop.line("the desktop", lambda line: line == "ready")
    expect(scene.status()["enabled"], "the service is on")
    program = machine.start("python3", "-c", geoclue.PROGRAM, user="carol")
    shown = desktop.line("the question", lambda line: line.startswith("shown "))
    expect("org.example.map" in shown and shown.endswith("never,Never"), f"it says who asks: {shown}")
    desktop.line("the password", lambda line: line == "asked for a password")
    program.line("a position", lambda line: line.startswith("at 52.5"))
    desktop.line("the question's end", lambda line: line == "closed")
    said = json.loads(machine.run("locctl", "audit", "--json", "--principal", f"uid:{uid}"))
    records = said["records"] if isinstance(said, dict) else said
    [granted] = [record for record in records if record["event"] == "granted"][-1:]
    expect(granted["by"] == f"uid:{uid} (own programs)" and granted["authorization"] == "authorizedWhenInUse", f"who decided is known: {granted}")
    program.end()
    machine.run("systemctl", "stop", "desktop.service")
    desktop.end()
    until("it is for a login alone", lambda: "no active login session" in machine.attempt("locctl", "get", user="carol").stderr)
    scene.locctl("reset-authorization", f"uid:{uid}")

    # On a terminal polkit's text agent asks: for carol's password, and as an administrator's where she is one.
    said = on_terminal(scene, "locctl", "authorize", "me", "--when-in-use", "--for", "1h")
    expect("exact position" in said and "you may know the position (authorized when in use" in said and "code 0" in said, said)
    said = on_terminal(scene, "locctl", "authorize", "me", "--when-in-use", password="wrong")
    expect("code 4" in said and "assword:" in said and "the authentication failed" in said, said)
    scene.locctl("reset-authorization", f"uid:{uid}")
    machine.run("usermod", "--append", "--groups", "sudo", "carol")
    said = on_terminal(scene, "locctl", "deny", "user:alice")
    expect("is denied the position" in said and "code 0" in said, said)
    scene.locctl("authorize", "user:alice")
    machine.run("gpasswd", "--delete", "carol", "sudo")

    machine.run("rm", RULE)
    machine.run("dpkg", "--install", f"/mnt/{packages[-1].name}")
    expect(machine.attempt("test", "-e", RULE).returncode != 0, "a rule that was removed stays removed")
    machine.run("locctl", "reload")
    machine.run("dpkg", "--purge", NAME, *reversed(BRIDGES))
    for path in (RULE, ACTIONS, "/etc/xdg/autostart/org.locationd.Agent.desktop"):
        expect(machine.attempt("test", "-e", path).returncode != 0, f"a purge leaves no {path}")
    after = machine.attempt("locctl", "authorize", "me", "--when-in-use", user="carol")
    expect(after.stderr == before.stderr, f"all is as before: {after.stderr}")
    scene.sees_fixes()


def logged_in(scene):
    """Carol's session at the seat."""
    machine = scene.machine
    machine.write("/run/desktop.py", DESKTOP)
    return machine.start(
        "systemd-run", "--quiet", "--pipe", "--wait", "--unit=desktop", "--uid=carol", "--property=PAMName=login",
        "--setenv=XDG_SEAT=seat0", "--setenv=XDG_SESSION_TYPE=x11", "--setenv=XDG_SESSION_CLASS=user",
        "python3", "/run/desktop.py", PASSWORD)


def on_terminal(scene, *command, password=PASSWORD):
    """What a command says on a terminal of carol's, at the seat."""
    machine = scene.machine
    machine.write("/run/terminal.py", TERMINAL)
    return machine.attempt(
        "systemd-run", "--quiet", "--pipe", "--wait", "--uid=carol", "--property=PAMName=login", "--setenv=XDG_SEAT=seat0",
        "--setenv=XDG_SESSION_TYPE=tty", "--setenv=XDG_SESSION_CLASS=user", "python3", "/run/terminal.py", password, *command).stdout
