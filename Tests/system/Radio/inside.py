"""What locationd-nearby does with radios: it runs inside of the machine that run.py boots, as root, and says "== all held" at its end."""

import json
import pathlib
import subprocess
import time
import traceback

MANAGER = pathlib.Path("/manager").read_text()
#: Seconds for what an emulated machine does.
PATIENCE = 120
#: Seconds between two scans of locationd-nearby's own at least.
PACE = 60
PLACE = ("52.5", "13.4")


def until(what, condition, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while not (result := condition()):
        assert time.monotonic() < deadline, f"not within {patience} s: {what}"
        time.sleep(0.5)
    return result


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def nearby():
    """The state of locationd-nearby; nothing while it does not answer."""
    answer = run("locctl", "nearby", "--json", "--nearby-socket", "/run/control.sock")
    return json.loads(answer.stdout)["state"] if answer.returncode == 0 else None


def own_scans():
    return pathlib.Path("/tmp/nearby.log").read_text().count("scans")


def start():
    pathlib.Path("/etc/locationd.toml").write_text('[[sources]]\nkind = "provider"\nname = "nearby"\nsocket = "/run/provider.sock"\n')
    pathlib.Path("/etc/nearby.toml").write_text("")
    with open("/tmp/locationd.log", "w") as log:
        subprocess.Popen(["locationd", "--config", "/etc/locationd.toml", "--runtime-directory", "/run/locationd", "--state-directory", "/tmp/state"],
                         stdout=log, stderr=log)
    with open("/tmp/nearby.log", "w") as log:
        subprocess.Popen(["locationd-nearby", "--config", "/etc/nearby.toml", "--socket", "/run/provider.sock", "--control", "/run/control.sock", "--store",
                          "/tmp/places.sqlite", "--key", "/tmp/key", "--log-level", "debug"], stdout=log, stderr=log)
    until("it answers", nearby)


def nobody_wants_a_scan():
    """For longer than the pace of scans: no scan but those of the manager, and with wpa_supplicant, which has no network to look for, none at all."""
    events = subprocess.Popen(["iw", "event"], stdout=subprocess.PIPE, text=True)
    time.sleep(PACE + 15)
    events.kill()
    seen = events.communicate()[0].count("scan started")
    assert own_scans() == 0, "no scan without demand"
    assert MANAGER != "wpa_supplicant" or seen == 0, f"{seen} scans"
    print(f"without demand: {seen} scans, none of our own", flush=True)


def place_is_learned_and_answered():
    start_of_demand = time.monotonic()
    learned = until("all access points are received", lambda: all_learned())
    print(learned.strip(), flush=True)
    answer = run("locctl", "get", "--json", "--timeout", "60")
    assert answer.returncode == 0, answer
    location = json.loads(answer.stdout)
    assert abs(location["latitude"] - 52.5) < 0.0001 and location["source"]["method"] == "network", location
    print(f"answered: {location['latitude']}, {location['longitude']} ±{location['horizontalAccuracy']} m", flush=True)
    assert own_scans() <= 1 + (time.monotonic() - start_of_demand) / PACE


def all_learned():
    """What `learn` says once the four access points are received; the first scan may miss one."""
    answer = run("locctl", "nearby", "learn", *PLACE, "--nearby-socket", "/run/control.sock")
    return answer.stdout if answer.stdout.startswith("4 access points") else None


def scans_come_once_a_minute_under_demand():
    before = own_scans()
    watch = subprocess.Popen(["locctl", "watch", "--json"], stdout=subprocess.DEVNULL)
    time.sleep(2.5 * PACE)
    count = own_scans() - before
    # Where the manager scans more often itself, its results are fresh enough.
    assert count <= 3, f"{count} scans in {2.5 * PACE} s"
    assert MANAGER != "wpa_supplicant" or count >= 2, f"{count} scans"
    print(f"under demand: {count} scans of our own in {2.5 * PACE:.0f} s", flush=True)
    return watch


def radio_that_is_switched_off_is_said(watch):
    run("rfkill", "block", "wifi")
    reason = until("it says why", lambda: (found := (nearby() or {}).get("reason") or "") and "rfkill" in found and found, 3 * PACE)
    print(f"switched off: {reason}", flush=True)
    until("the daemon says so", lambda: "rfkill" in run("locctl", "status", "--json").stdout)
    run("rfkill", "unblock", "wifi")
    for device in ("wlan1", "wlan2", "wlan3", "wlan4"):
        run("ip", "link", "set", device, "up")
    run("pkill", "hostapd")
    for number in range(1, 5):
        run("hostapd", "-B", f"/tmp/ap{number}.conf")
    if MANAGER == "wpa_supplicant":
        for device in ("wlan0", "wlan5"):
            run("ip", "link", "set", device, "up")
    until("it receives again", lambda: (nearby() or {}).get("known", 0) >= 2, 4 * PACE)
    print("switched on: it receives again", flush=True)
    watch.kill()


def radio_that_goes_away_is_no_fault():
    run("iw", "dev", "wlan5", "del")
    answer = run("locctl", "get", "--json", "--timeout", "60")
    assert answer.returncode == 0, answer
    assert nearby() is not None
    print("one radio less: answered", flush=True)


try:
    start()
    if MANAGER != "networkmanager":
        nobody_wants_a_scan()
    place_is_learned_and_answered()
    radio_that_is_switched_off_is_said(scans_come_once_a_minute_under_demand())
    radio_that_goes_away_is_no_fault()
    for secret in ("net1", "00:1b:63", "001b63"):
        assert secret not in pathlib.Path("/tmp/nearby.log").read_text().lower(), f"{secret} in the log"
    print("== all held", flush=True)
except Exception:
    traceback.print_exc()
    for name in ("locationd", "nearby", "manager"):
        log = pathlib.Path(f"/tmp/{name}.log")
        print(f"-- {name}\n{log.read_text(errors='replace')[-3000:] if log.exists() else ''}", flush=True)
    print(run("iw", "dev").stdout, run("rfkill", "list").stdout, flush=True)
