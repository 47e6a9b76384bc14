"""The life of the package."""

import re
import shutil
import subprocess

from scene import CONTROL, PUBLIC, SOCKETS, expect


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


def an_upgrade_is_a_reconnect_to_clients(scene):
    machine = scene.machine
    process, places = scene.daemon(), machine.run("stat", "-c", "%i", PUBLIC, CONTROL)
    newer = higher_version(scene.package)
    machine.run("dpkg", "--install", f"/mnt/{newer.name}")
    expect(scene.daemon() != process, "the new version runs")
    expect(machine.run("stat", "-c", "%i", PUBLIC, CONTROL) == places, "the sockets stayed")
    scene.sees_fixes()
    expect(scene.watcher.process.poll() is None, "the client never noticed but that it was away")


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


def higher_version(package):
    """The same package again, with a version that is higher."""
    return repackaged(package, "higher", lambda unpacked: rewrite(
        unpacked / "DEBIAN" / "control", r"(?m)^(Version: .*)$", r"\1+higher"))


def repackaged(package, name, change):
    """A package again, with a change of its files."""
    unpacked = package.parent / f"{name}.files"
    shutil.rmtree(unpacked, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", package, unpacked], check=True)
    change(unpacked)
    again = package.parent / f"{name}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", unpacked, again],
                   check=True, stdout=subprocess.DEVNULL)
    return again


def rewrite(file, pattern, text):
    """Replaces what is there at least once."""
    content, count = re.subn(pattern, text, file.read_text())
    expect(count, f"{file} has {pattern}")
    file.write_text(content)
