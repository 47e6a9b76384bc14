"""What an administrator changes."""

from patience import until
from scene import expect

EXAMPLES = "/usr/share/doc/locationd/examples"
METRICS = "/var/lib/prometheus/node-exporter"


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
    use_example(machine, "remote-gpsd.conf")
    scene.sees_fixes()
    machine.run("rm", "/etc/locationd/conf.d/remote.toml")
    forget_example(scene, "remote-gpsd.conf")


def metrics_need_the_drop_in(scene):
    machine = scene.machine
    # The user daemon stands for the collector, and its group for the collector's.
    machine.run("install", "-d", "-m", "2755", "-o", "locationd", "-g", "daemon", METRICS)
    machine.write("/etc/locationd/conf.d/metrics.toml", f'[metrics]\ntextfile = "{METRICS}/locationd.prom"\n')
    use_example(machine, "node-exporter.conf")
    text = until("metrics that the collector may read", lambda: machine.attempt(
        "cat", f"{METRICS}/locationd.prom", user="daemon").stdout)
    expect("# TYPE locationd_" in text, f"they are the daemon's: {text}")
    others = machine.attempt("cat", f"{METRICS}/locationd.prom", user="alice")
    expect("Permission denied" in others.stderr, f"they are nothing to others: {others}")
    machine.run("rm", "/etc/locationd/conf.d/metrics.toml")
    forget_example(scene, "node-exporter.conf")


def use_example(machine, name, unit="locationd.service", *lines):
    """As an example's first lines say, with further lines."""
    machine.run("install", "-D", "-t", drop_ins(unit), f"{EXAMPLES}/{name}")
    for line in lines:
        machine.run("sh", "-c", 'echo "$1" >>"$0"', f"{drop_ins(unit)}/{name}", line)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", unit)


def forget_example(scene, name):
    scene.machine.run("rm", f"{drop_ins('locationd.service')}/{name}")
    scene.machine.run("systemctl", "daemon-reload")
    scene.machine.run("systemctl", "restart", "locationd.service")
    scene.sees_fixes()


def drop_ins(unit):
    return f"/etc/systemd/system/{unit}.d"


def metrics_come(machine, unit, configuration, metric):
    """A service's metrics for the collector, by the same drop-in, in a directory that its user may write to by the group."""
    file = f"{METRICS}/{unit}.prom"
    # As shipped that is the last table.
    machine.run("sed", "-i", r"/^\[metrics\]/,$d", configuration)
    machine.run("sh", "-c", 'printf "%s" "$1" >>"$0"', configuration, f'[metrics]\ntextfile = "{file}"\ninterval = 1\n')
    machine.run("chmod", "2775", METRICS)
    use_example(machine, "node-exporter.conf", unit, "SupplementaryGroups=daemon")
    until("metrics that the collector may read", lambda: metric in machine.attempt("cat", file, user="daemon").stdout)
    others = machine.attempt("cat", file, user="alice")
    expect("Permission denied" in others.stderr, f"they are nothing to others: {others}")
    machine.run("systemctl", "stop", unit)
    expect(machine.attempt("test", "-e", file).returncode != 0, "no figures are left of a service that does not run")
    machine.run("rm", "-r", drop_ins(unit))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", unit)
