"""The programs around the daemon come from packages in which they had the daemon's user, and go."""

import json

import bridge
import geoclue
import history
import web
from package import repackaged, rewrite
from patience import until
from scene import CONTROL, expect

PROGRAMS = ("locationd-bridge", "locationd-geoclue", "locationd-history", "locationd-web", "locationd-fleet")
FLEET_LIST = "locationd-fleet-devices.socket"
#: A setting of an administrator, which an upgrade keeps.
SETTING = '[service]\nlog-level = "debug"\n'
MAPS = "/var/lib/locationd-web/maps"
#: A file of MBTiles with one image.
MAP = f"""
import sqlite3
file = sqlite3.connect("{MAPS}/streets.mbtiles")
file.executescript('''
    CREATE TABLE metadata (name text, value text);
    CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
    INSERT INTO metadata VALUES ('format', 'png');
    INSERT INTO tiles VALUES (0, 0, 0, x'89504e470d0a1a0a');
''')
file.commit()
"""
LINES = 'import sqlite3; print(sqlite3.connect("' + history.FILE + '").execute("SELECT count(*) FROM points").fetchone()[0])'


def programs_get_users_by_an_upgrade(scene):
    machine = scene.machine
    packages = [next(scene.package.parent.glob(f"{name}_*.deb")) for name in PROGRAMS]
    older = [older_version(package, name) for package, name in zip(packages, PROGRAMS)]
    machine.run("apt-get", "install", "-y", *(f"/mnt/{package.name}" for package in older))
    machine.run("sh", "-c", f"printf '%s' '{SETTING}' | tee /etc/locationd/bridge.toml >/etc/locationd/web.toml")
    machine.run("mkdir", "-p", MAPS)
    machine.run("python3", "-c", MAP)
    machine.run("systemctl", "enable", "--now", "locationd-history.service", "locationd-bridge.socket")
    machine.run("systemctl", "start", FLEET_LIST)
    until("locations are recorded", lambda: int(machine.run("python3", "-c", LINES)) > 0)
    expect(owners(machine) == {"locationd:locationd"}, f"the daemon's user has the track: {owners(machine)}")
    [uid] = machine.run("id", "-u", "carol").split()
    scene.locctl("authorize", f"uid:{uid}")
    first = reads(scene)
    use_pages(machine)
    expect(user_of(machine, "locationd-web") == "locationd", "the pages were the daemon's user's")
    program = located(scene)
    expect(user_of(machine, "locationd-geoclue") == "locationd", "so was GeoClue's service")
    points, daemon = int(machine.run("python3", "-c", LINES)), scene.daemon()

    machine.run("dpkg", "--install", *(f"/mnt/{package.name}" for package in packages))
    expect(scene.daemon() == daemon, "the daemon reads the rules without a restart")
    machine.run("locationd", "--check-config")
    for name in ("locationd-bridge", "locationd-history", "locationd-web", "locationd-geoclue"):
        until(f"{name} runs", lambda name=name: machine.shows(f"{name}.service", "ActiveState") == "active")
        expect(user_of(machine, name) == name, f"{name} has a user of its own: {user_of(machine, name)}")
        groups = machine.run("id", "-nG", name).split()
        expect(groups == [name], f"{name} is in no other group: {groups}")
    expect(machine.run("stat", "-c", "%a %U", "/run/locationd/fleet-devices.sock").split() == ["600", "locationd-web"],
           "the list of devices is for the pages")
    expect(machine.run("cat", "/etc/locationd/bridge.toml") == SETTING, "settings are kept")
    expect(owners(machine) == {"locationd-history:locationd-history"}, f"the track has its user: {owners(machine)}")
    expect(machine.run("stat", "-c", "%a", "/var/lib/locationd-history").strip() == "700", "it is nobody else's")
    expect(int(machine.run("python3", "-c", LINES)) >= points, "nothing of the track is lost")
    until("it is recorded on", lambda: "recording" in machine.run("locctl", "track", "status"))
    for process in (first, program):
        process.end()
    reads(scene).end()
    use_pages(machine)
    located(scene).end()
    scene.locctl("reset-authorization", f"uid:{uid}")


def a_program_says_which_line_is_not_for_it(scene):
    machine = scene.machine
    for name, file in (("locationd-bridge", "bridge"), ("locationd-web", "web"), ("locationd-history", "history")):
        path, unit = f"/etc/locationd/{file}.toml", f"{name}.service"
        machine.run("cp", path, f"{path}.kept")
        machine.write(path, f'[service]\ndaemon = "{CONTROL}"\n')
        machine.attempt("systemctl", "restart", unit)
        expect(machine.shows(unit, "ExecMainStatus") == "2", f"{unit} ends with its reason")
        said = machine.run("journalctl", "--no-pager", "--lines=20", f"--unit={unit}")
        expect(f"remove the line `daemon = \"{CONTROL}\"`" in said and path in said, f"it says what to do:\n{said}")
        machine.run("mv", f"{path}.kept", path)
        machine.run("systemctl", "reset-failed", unit)
    machine.run("systemctl", "restart", "locationd-history.service")


def purged_programs_leave_their_users_alone(scene):
    machine = scene.machine
    rules = machine.run("sh", "-c", "ls /etc/locationd/policy.d").split()
    expect(len(rules) == 4, f"each package has its rule: {rules}")
    machine.run("dpkg", "--remove", *PROGRAMS)
    machine.run("locationd", "--check-config")
    machine.run("dpkg", "--purge", *PROGRAMS)
    machine.run("rm", "-r", "/var/lib/locationd-web")
    expect(machine.run("sh", "-c", "ls /etc/locationd/policy.d") == "", "no rule is left")
    machine.run("locationd", "--check-config")
    machine.run("getent", "passwd", "locationd-history")
    scene.sees_fixes()


def older_version(package, name):
    """A package as it was when its program had the daemon's user, and the control socket."""
    def change(unpacked):
        control = unpacked / "DEBIAN" / "control"
        rewrite(control, r"(?m)^Version: .*$", "Version: 0.0.1")
        # Those of the same version are of the packages that are made older, too.
        control.write_text(control.read_text().replace(f"locationd-bridge (>= {version(package)})", "locationd-bridge")
                           .replace(f"locationd (= {version(package)})", "locationd"))
        for script in ("postinst", "postrm"):
            file = unpacked / "DEBIAN" / script
            if file.exists():
                file.write_text(file.read_text().replace("systemd-sysusers", ": systemd-sysusers"))
        for file in [*unpacked.glob("usr/lib/sysusers.d/*"), *unpacked.glob("etc/locationd/policy.d/*")]:
            file.unlink()
        conffiles = unpacked / "DEBIAN" / "conffiles"
        if conffiles.exists():
            lines = [line for line in conffiles.read_text().splitlines(keepends=True) if "policy.d" not in line]
            conffiles.write_text("".join(lines)) if lines else conffiles.unlink()
        [units] = [*unpacked.glob("lib/systemd/system"), *unpacked.glob("usr/lib/systemd/system")]
        if name == "locationd-fleet":
            rewrite(units / "locationd-fleet-devices.socket", "SocketUser=.*", "SocketUser=locationd")
            return
        unit = units / f"{name}.service"
        rewrite(unit, f"(User|Group)={name}", r"\1=locationd")
        rewrite(unit, "(?m)^(ExecStart=.*)$", rf"\1 --daemon {CONTROL}")
        if name == "locationd-geoclue":
            rewrite(unpacked / "usr/share/dbus-1/system.d/org.locationd.geoclue.conf", f'user="{name}"', 'user="locationd"')
            rewrite(unpacked / "usr/share/dbus-1/system-services/org.freedesktop.GeoClue2.service",
                    f"User={name}", "User=locationd")
    return repackaged(package, f"{name}-older", change)


def version(package):
    return package.name.split("_")[1]


def owners(machine):
    """Who has the files of the track."""
    return set(machine.run("find", "/var/lib/locationd-history", "-printf", "%u:%g\\n").split())


def user_of(machine, name):
    process = machine.shows(f"{name}.service", "MainPID")
    return machine.run("ps", "-o", "user:32=", "-p", process).strip()


def reads(scene):
    """A program of gpsd that has got a position."""
    reader = scene.machine.start("python3", "-c", bridge.READER, user="carol")
    reader.line("a position", lambda line: '"class":"TPV"' in line and '"lat":52.5' in line)
    return reader


def located(scene):
    """A program of GeoClue that has got a position."""
    program = scene.machine.start("python3", "-c", geoclue.PROGRAM, user="carol")
    program.line("a position", lambda line: line.startswith("at 52.5"))
    return program


def use_pages(machine):
    link = machine.run("locctl", "web", "--print").strip()
    seen = json.loads(machine.run("python3", "-c", web.BROWSER, link))
    expect(seen["page"] and seen["session"]["isAdministrator"], f"root's pages: {seen}")
    expect("streets" in json.dumps(seen["session"]), f"the map's images are there: {seen}")
