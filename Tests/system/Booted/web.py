"""The pages for people, as a package."""

import json

from patience import until
from scene import expect

SERVICE = "locationd-web.service"
SOCKETS = ["locationd-web.socket", "locationd-web-link.socket", "locationd-web-control.socket"]
BROWSER = """
import http.cookiejar, json, sys, urllib.request
jar = http.cookiejar.CookieJar()
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
page = browser.open(sys.argv[1]).read().decode()
session = json.load(browser.open("http://127.0.0.1:8447/session"))
call = urllib.request.Request("http://127.0.0.1:8447/call/org.locationd.admin.ListClients", b"{}", {
    "Content-Type": "application/json", "X-Locationd": "1", "Origin": "http://127.0.0.1:8447"})
clients = json.load(browser.open(call))["clients"]
fixes = 0
for line in browser.open("http://127.0.0.1:8447/live", timeout=60):
    fixes += line.startswith(b"data:") and b'"latitude"' in line
    if fixes > 1:
        break
print(json.dumps({"page": "<title>" in page, "session": session, "clients": len(clients)}))
"""


def the_pages_are_served(scene):
    machine = scene.machine
    [package] = scene.package.parent.glob("locationd-web_*.deb")
    machine.run("apt-get", "install", "-y", f"/mnt/{package.name}")
    for socket in SOCKETS:
        expect(machine.shows(socket, "ActiveState", "UnitFileState") == ["active", "enabled"], socket)
    expect(machine.shows(SERVICE, "ActiveState") == "inactive", "it starts when somebody asks for a link")
    link = machine.run("locctl", "web", "--print").strip()
    expect(link.startswith("http://127.0.0.1:8447/open?token="), link)
    seen = json.loads(machine.run("python3", "-c", BROWSER, link))
    expect(seen["page"] and seen["session"]["uid"] == 0 and seen["session"]["isAdministrator"] and seen["clients"] > 0, f"root: {seen}")
    refused = machine.attempt("python3", "-c", BROWSER, link)
    expect(refused.returncode != 0 and "403" in refused.stderr, "a link works once")
    stranger = ["setpriv", "--reuid=61234", "--clear-groups"]
    link = machine.run(*stranger, "locctl", "web", "--print").strip()
    refused = machine.attempt("python3", "-c", BROWSER, link)
    expect(refused.returncode != 0 and "403" in refused.stderr, "a link opens in a browser of its user alone")
    machine.run("systemctl", "restart", SERVICE)
    until("it is there again", lambda: machine.shows(SERVICE, "ActiveState") == "active")
    expect(machine.attempt(*stranger, "python3", "-c", BROWSER, link).returncode != 0, "a restart ends links")
    machine.run("dpkg", "--purge", "locationd-web")
    expect(machine.attempt("test", "-e", "/run/locationd/web.sock").returncode != 0, "no socket is left")
    scene.sees_fixes()
