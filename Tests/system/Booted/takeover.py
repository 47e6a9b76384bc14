"""Each program around the daemon, taken over: what its user can do in its sandbox, and what not."""

import json

import users
from scene import expect

#: The state of each program, which the others are not to read.
STATES = {
    "locationd": "/var/lib/locationd", "locationd-history": "/var/lib/locationd-history",
    "locationd-fleet": "/var/lib/private/locationd-fleet",
}
#: All that somebody gets who has taken over the program, of what the intruder tries.
GETS = {
    "locationd-bridge": {"name another user"},
    "locationd-geoclue": {"name another user"},
    # It serves the track, and the list of devices, to the users of the pages.
    "locationd-web": {"name another user", "read the track for root", "pause the track for root",
                      "connect to the list of the fleet's devices"},
    "locationd-history": {"name another user", "know the position"},
    "locationd-fleet": set(),
}
OUTPUT = "/run/intruder.txt"


def programs_taken_over_get_nothing_else(scene):
    machine = scene.machine
    machine.run("systemctl", "start", users.FLEET_LIST)
    daemon, authorizations = scene.daemon(), scene.locctl("authorizations")
    for program, expected in GETS.items():
        attempts = intrude(scene, program)
        got = {name for name, line in attempts.items() if "refused" not in line}
        expect(got == expected, f"{program} gets {sorted(expected)}: "
               + "\n".join(str(attempts.get(name, name)) for name in sorted(got ^ expected)))
        expect(not any("failed" in line for line in attempts.values()), f"{program}: every attempt is one")
    expect(scene.daemon() == daemon, "the daemon goes on")
    expect(scene.locctl("authorizations") == authorizations, "no decision is another")
    expect(scene.status()["enabled"], "the service is on")
    scene.sees_fixes()
    # What the attempts are worth: of the daemon's user they are not refused.
    names = ("connect to the control socket", "connect to the socket of administrators' links", "ListClients at control.sock",
             "know the position", f"kill {daemon}", "read /var/lib/locationd")
    only = "\\n".join(names)
    attempts = intrude(scene, "locationd-bridge", f"""User=locationd
Group=locationd
InaccessiblePaths=
Environment="INTRUDER_ONLY={only}"
""")
    expect(all("got" in attempts[name] for name in names), f"the daemon's user gets all: {attempts}")


def intrude(scene, program, lines="", through=""):
    """Runs the intruder in place of a program, by a command that it may be given to, and gives what each of its attempts comes to."""
    machine, unit = scene.machine, f"{program}.service"
    was_active = machine.shows(unit, "ActiveState") == "active"
    machine.run("systemctl", "stop", unit)
    states = [folder for owner, folder in STATES.items() if owner != program]
    processes = [machine.shows(f"{other}.service", "MainPID") for other in ("locationd", *GETS) if other != program]
    words = " ".join([*states, "--", *(process for process in processes if process != "0")])
    machine.write(f"/run/systemd/system/{unit}.d/intruder.conf", f"""[Service]
Type=oneshot
ExecStart=
ExecStart={through}/usr/bin/python3 /mnt/intruder.py {words}
ExecPaths=/usr/bin /mnt
Restart=no
StandardOutput=truncate:{OUTPUT}
TimeoutStartSec=300
{lines}""")
    machine.run("systemctl", "daemon-reload")
    result = machine.attempt("systemctl", "start", unit)
    expect(result.returncode == 0, f"the intruder ends in {unit}: {result.stderr}"
           + machine.attempt("journalctl", "--no-pager", "--lines=30", f"--unit={unit}").stdout)
    machine.run("rm", "-r", f"/run/systemd/system/{unit}.d")
    machine.run("systemctl", "daemon-reload")
    if was_active:
        machine.run("systemctl", "start", unit)
    lines = [json.loads(line) for line in machine.run("cat", OUTPUT).splitlines()]
    return {line["attempt"]: line for line in lines}
