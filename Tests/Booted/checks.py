"""What an administrator does with the package and what happens to a machine, in the order in which they stand here.

Everything is the real thing: Debian's systemd and gpsd, the package, and a receiver on a pseudo terminal.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

from machine import Failure, Machine, until

SOCKETS = ("locationd.socket", "locationd-control.socket")
PUBLIC, CONTROL = "/run/locationd/locationd.sock", "/run/locationd/control.sock"
#: locctl's exit codes.
UNREACHABLE, UNAUTHORIZED, NO_LOCATION = 3, 4, 5

#: Numbers of events in the journal, as the manual lists them.
EVENTS = {
    "the service listens": "5901fe53d97942a492ad105e7ac286a7",
    "the service ends": "5305d91235ec4e498f4a03a81bfd3648",
    "the configuration is read again": "eff0e3d65825413995b3b4354b090d1a",
    "a new configuration is refused": "ba681d782dd648cfab1aefce41f76ca9",
    "a source changes": "5521f5c641a84cc2a853f01eb15ef161",
    "a user may know": "f689fef1aff749f0ad41296b02209a56",
    "a user got the first location of the day": "1f6b55b86f214ebd9e87ea93adbb7878",
}


class Scene:
    """The machine and what the checks leave to those after them."""

    def __init__(self, machine, package, deadly):
        self.machine = machine
        self.package = package
        self.deadly = deadly
        self.sequence = 0

    def locctl(self, *words, user=None):
        return self.machine.run("locctl", *words, user=user)

    def status(self):
        return json.loads(self.locctl("status", "--json"))["status"]

    def daemon(self):
        """The process that is the service, once it is ready."""
        return until("the service is ready", lambda: self._ready() or None)

    def _ready(self):
        state, process = self.machine.shows("locationd.service", "ActiveState", "MainPID")
        return state == "active" and process

    def sees_fixes(self):
        """The watching client gets a further location, newer than any before."""
        self.watcher.forget()
        line = self.watcher.line("a location", lambda line: line.startswith("location "))
        sequence = int(line.split()[1])
        expect(sequence > self.sequence, f"the location {sequence} comes after {self.sequence}")
        self.sequence = sequence

    def log(self, since=None):
        """The daemon's journal records."""
        options = [f"--after-cursor={since}"] if since else []
        text = self.machine.run("journalctl", "--unit=locationd.service", "--output=json", *options)
        return [json.loads(line) for line in text.splitlines()]

    def cursor(self):
        return self.machine.run("journalctl", "--lines=0", "--show-cursor").split("cursor: ")[-1].strip()


def expect(truth, what):
    if not truth:
        raise Failure("does not hold: " + what)


def expect_code(result, code):
    expect(result.returncode == code,
           f"it ends with {code}; it was {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def the_package_installs(scene):
    machine = scene.machine
    if scene.deadly:
        # The one that the Swift runtime tries in vain is for the kernel to refuse here.
        machine.write("/etc/systemd/system/locationd.service.d/deadly.conf",
                      "[Service]\nSystemCallErrorNumber=kill\nSystemCallFilter=setpriority\n")
    for user in ("alice", "bob"):
        machine.run("useradd", "--create-home", user)
    machine.run("apt-get", "install", "-y", f"/mnt/{scene.package.name}")
    machine.run("usermod", "--append", "--groups=locationd", "bob")
    for unit in SOCKETS:
        expect(machine.shows(unit, "ActiveState", "UnitFileState") == ["active", "enabled"], f"{unit} listens")
    expect(machine.shows("locationd.service", "ActiveState") == "inactive", "the service waits for a client")
    expect(machine.run("stat", "-c", "%a %U:%G", PUBLIC, CONTROL).split("\n")[:2]
           == ["666 root:root", "660 root:locationd"], "everybody, and administrators, may connect")
    remarks = machine.attempt("systemd-analyze", "verify", "--man=no", "locationd.service", *SOCKETS)
    expect(remarks.stdout + remarks.stderr == "", "systemd has nothing to say of the units: " + remarks.stderr)
    machine.run("locationd", "--check-config")


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
    until("the service tells the fix", lambda: "3D" in scene.machine.shows("locationd.service", "StatusText"))


def a_killed_daemon_comes_back(scene):
    process = scene.daemon()
    scene.machine.run("kill", "-KILL", process)
    until("another daemon", lambda: scene.daemon() != process)
    scene.sees_fixes()
    expect(int(scene.machine.shows("locationd.service", "NRestarts")) >= 1, "systemd started it again")


def a_daemon_whose_reader_hangs_is_replaced(scene):
    machine = scene.machine
    machine.write("/run/systemd/system/locationd.service.d/watchdog.conf", "[Service]\nWatchdogSec=3\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "locationd.service")
    process = scene.daemon()
    scene.sees_fixes()
    since = scene.cursor()
    freezer = machine.start("python3", "/mnt/freeze-thread.py", process, "gps-reader")
    freezer.line("frozen", lambda line: line == "frozen")
    until("another daemon", lambda: scene.daemon() != process)
    freezer.end()
    expect(any("watchdog" in record["MESSAGE"].lower() for record in scene.log(since)),
           "the journal says that it was the watchdog")
    scene.sees_fixes()
    machine.run("rm", "-r", "/run/systemd/system/locationd.service.d")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "locationd.service")
    scene.sees_fixes()


def a_new_configuration_is_taken(scene):
    process = scene.daemon()
    scene.machine.write("/etc/locationd/conf.d/delivery.toml", "[delivery]\nstale-after = 7.0\n")
    scene.machine.run("systemctl", "reload", "locationd.service")
    until("the new configuration is told", lambda: any(
        "configuration read again" in record["MESSAGE"] for record in scene.log()))
    expect(scene.daemon() == process, "it is the same daemon")
    scene.sees_fixes()


def a_wrong_configuration_changes_nothing(scene):
    process, since = scene.daemon(), scene.cursor()
    scene.machine.write("/etc/locationd/conf.d/delivery.toml", "[delivery]\nstale-after = -1\n")
    result = scene.machine.attempt("systemctl", "reload", "locationd.service")
    expect(result.returncode != 0, "the reload fails")
    text = scene.machine.run("journalctl", "--unit=locationd.service", f"--after-cursor={since}")
    expect("/etc/locationd/conf.d/delivery.toml:2" in text and "stale-after" in text,
           f"the journal has file, line and key:\n{text}")
    expect(scene.daemon() == process, "the daemon goes on")
    scene.sees_fixes()
    scene.machine.run("rm", "/etc/locationd/conf.d/delivery.toml")
    scene.machine.run("systemctl", "reload", "locationd.service")


def gpsd_goes_and_comes(scene):
    machine = scene.machine
    machine.run("systemctl", "stop", "gpsd.socket", "gpsd.service")
    scene.watcher.line("that there is no gpsd", lambda line: line.startswith("no location:") and "gpsd" in line)
    until("the service tells it", lambda: "gpsd" in machine.shows("locationd.service", "StatusText"))
    machine.run("systemctl", "start", "gpsd.socket")
    scene.sees_fixes()


def a_remote_gpsd_needs_the_drop_in(scene):
    machine = scene.machine
    machine.run("ip", "address", "add", "192.0.2.7/32", "dev", "lo")
    # gpsd takes the control socket first, and two others at most.
    listen = ("", "/run/gpsd.sock", "127.0.0.1:2947", "192.0.2.7:2947")
    machine.write("/run/systemd/system/gpsd.socket.d/remote.conf",
                  "[Socket]\n" + "".join(f"ListenStream={place}\n" for place in listen))
    machine.run("systemctl", "stop", "gpsd.socket", "gpsd.service")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "gpsd.socket")
    machine.write("/etc/locationd/conf.d/remote.toml", '[[sources]]\nkind = "gpsd"\nhost = "192.0.2.7"\n')
    machine.run("systemctl", "reload", "locationd.service")
    until("the sandbox refuses", lambda: "192.0.2.7" in (scene.status().get("reason") or ""))
    machine.run("mkdir", "-p", "/etc/systemd/system/locationd.service.d")
    machine.run("cp", "/usr/share/doc/locationd/examples/remote-gpsd.conf", "/etc/systemd/system/locationd.service.d/")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "locationd.service")
    scene.sees_fixes()
    machine.run("rm", "/etc/locationd/conf.d/remote.toml", "/etc/systemd/system/locationd.service.d/remote-gpsd.conf")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "locationd.service")
    scene.sees_fixes()


def an_upgrade_is_a_reconnect_to_clients(scene):
    machine = scene.machine
    process, places = scene.daemon(), machine.run("stat", "-c", "%i", PUBLIC, CONTROL)
    newer = higher_version(scene.package)
    machine.run("dpkg", "--install", f"/mnt/{newer.name}")
    expect(scene.daemon() != process, "the new version runs")
    expect(machine.run("stat", "-c", "%i", PUBLIC, CONTROL) == places, "the sockets stayed")
    scene.sees_fixes()
    expect(scene.watcher.process.poll() is None, "the client never noticed but that it was away")


def a_stopped_service_returns_with_its_clients(scene):
    # The sockets listen on; the manual says so, and what to stop instead.
    process = scene.daemon()
    scene.machine.run("systemctl", "stop", "locationd.service")
    scene.sees_fixes()
    expect(scene.daemon() != process, "it was stopped")


def sockets_and_service_stop_together(scene):
    machine = scene.machine
    machine.run("systemctl", "stop", "locationd.service", *SOCKETS)
    for unit in ("locationd.service", *SOCKETS):
        expect(machine.shows(unit, "ActiveState", "Result") == ["inactive", "success"], f"{unit} ended well")
    expect(machine.attempt("ls", PUBLIC, CONTROL).returncode != 0, "the sockets are gone")
    expect_code(machine.attempt("locctl", "status"), UNREACHABLE)
    scene.watcher.line("why there is nothing", lambda line: line.startswith("no location:"))
    machine.run("systemctl", "start", *SOCKETS)
    scene.sees_fixes()


def events_are_in_the_journal_with_fields(scene):
    for event, identifier in EVENTS.items():
        found = scene.machine.run("journalctl", "--output=json", f"MESSAGE_ID={identifier}",
                                  "_SYSTEMD_UNIT=locationd.service")
        records = [json.loads(line) for line in found.splitlines()]
        expect(records, f"the journal finds by its number that {event}")
        for record in records:
            expect(record["SYSLOG_IDENTIFIER"] == "locationd" and record["_TRANSPORT"] == "journal",
                   f"it is the daemon's own record: {record}")
    first = scene.machine.run("journalctl", "--output=json", "LOCATIOND_PRINCIPAL=uid:1000",
                              f"MESSAGE_ID={EVENTS['a user got the first location of the day']}")
    expect(len(first.splitlines()) >= 1, "records are found by the principal")


def nothing_failed(scene):
    failed = scene.machine.run("systemctl", "--failed", "--plain", "--no-legend")
    expect(failed == "", "no unit failed: " + failed)
    deaths = scene.machine.attempt("journalctl", "--unit=locationd.service", "--grep=status=31/SYS").stdout
    expect("SYS" not in deaths, "no refused system call killed the daemon:\n" + deaths)


def a_removed_package_leaves_only_its_settings(scene):
    machine = scene.machine
    machine.run("dpkg", "--remove", "locationd")
    expect(machine.attempt("ls", PUBLIC, CONTROL).returncode != 0, "the sockets are gone")
    expect(machine.attempt("pgrep", "-x", "locationd").returncode != 0, "no daemon is left")
    machine.run("ls", "/etc/locationd/policy.toml", "/var/lib/locationd")


def a_purged_package_leaves_nothing(scene):
    machine = scene.machine
    scene.watcher.end()
    machine.run("rm", "-rf", "/etc/systemd/system/locationd.service.d")
    machine.run("dpkg", "--purge", "locationd")
    left = machine.run("find", "/etc", "/run", "/usr", "/var", "/lib", "-xdev", "-name", "*locationd*")
    expect(left == "", "files are left:\n" + left)


CHECKS = [
    the_package_installs,
    an_ordinary_user_starts_the_service,
    control_is_refused_to_ordinary_users,
    the_first_fix_comes_through_both_sockets,
    use_is_told_from_login_sessions,
    a_client_watches,
    a_killed_daemon_comes_back,
    a_daemon_whose_reader_hangs_is_replaced,
    a_new_configuration_is_taken,
    a_wrong_configuration_changes_nothing,
    gpsd_goes_and_comes,
    a_remote_gpsd_needs_the_drop_in,
    an_upgrade_is_a_reconnect_to_clients,
    a_stopped_service_returns_with_its_clients,
    sockets_and_service_stop_together,
    events_are_in_the_journal_with_fields,
    nothing_failed,
    a_removed_package_leaves_only_its_settings,
    a_purged_package_leaves_nothing,
]


def higher_version(package):
    """The same package again, with a version that is higher."""
    unpacked = package.parent / "higher"
    shutil.rmtree(unpacked, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", package, unpacked], check=True)
    control = unpacked / "DEBIAN" / "control"
    lines = [line + "+higher" if line.startswith("Version:") else line for line in control.read_text().splitlines()]
    control.write_text("\n".join(lines) + "\n")
    higher = package.parent / "higher.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", unpacked, higher],
                   check=True, stdout=subprocess.DEVNULL)
    return higher


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", required=True, help="a prepared Debian")
    parser.add_argument("--material", required=True, type=pathlib.Path, help="what the machine finds in /mnt")
    parser.add_argument("--log", required=True, help="where the machine's console goes")
    parser.add_argument("--deadly", action="store_true", help="refused system calls kill")
    options = parser.parse_args()
    [package] = options.material.glob("locationd_*.deb")
    with Machine(options.tree, {options.material.resolve(): "/mnt"}, options.log) as machine:
        scene = Scene(machine, package, options.deadly)
        for check in CHECKS:
            start = time.monotonic()
            try:
                check(scene)
            except Failure as failure:
                print(f"failed: {check.__name__.replace('_', ' ')}\n{failure}")
                for command in (["journalctl", "--no-pager", "--lines=80", "--unit=locationd*", "--unit=gpsd*", "--unit=receiver"],
                                ["systemctl", "status", "--no-pager", "locationd*", "gpsd*"]):
                    print(f"== {' '.join(command)}\n{machine.attempt(*command).stdout}")
                sys.exit(1)
            print(f"{time.monotonic() - start:5.1f} s  {check.__name__.replace('_', ' ')}", flush=True)


main()
