"""A real Home Assistant in the tree that `.ci/home-assistant` makes, in the network of this process."""

import json
import pathlib
import shutil
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import websocket

from fleet_machine import eventually

#: Where home is at the beginning; Home Assistant wants whole metres.
HOME = {"latitude": 52.0, "longitude": 13.0, "elevation": 30, "time_zone": "Europe/Berlin"}
PATHS = "PATH=/opt/ha/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class HomeAssistant:
    """A home of its own, with its first user, an administrator, and a long-lived token of that user."""

    def __init__(self, tree, name, http=""):
        """`http`: lines of its configuration, of the section of that name."""
        self.tree, self.name, self.token = tree, name, None
        self.folder = pathlib.Path(tree, "homes", name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            address = "127.0.0.1:{}".format(probe.getsockname()[1])
        self.url, self.socket = f"http://{address}", f"ws://{address}/api/websocket"
        host, port = address.split(":")
        lines = "".join(f"  {line}\n" for line in (f"server_host: {host}", f"server_port: {port}", *http.splitlines()))
        (self.folder / "configuration.yaml").write_text(f"homeassistant:\nhttp:\n{lines}mobile_app:\n")
        self.start()
        try:
            self.onboard()
        except BaseException:
            self.close()
            raise

    @property
    def log(self):
        """Since the last start."""
        return (self.folder / "output").read_text(errors="replace")

    def start(self):
        with open(self.folder / "output", "wb") as output:
            self.process = subprocess.Popen(
                ["chroot", self.tree, "env", "-i", PATHS, "HOME=/homes", "LANG=C.UTF-8", "hass", "--config",
                 f"/homes/{self.name}", "--skip-pip", "-v"], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        # Its port answers before what belongs to it is there.
        eventually("Home Assistant starts", lambda: "Home Assistant initialized" in self.log)

    def close(self):
        """Ends it. What it knows stays: the next start is a restart."""
        self.process.terminate()
        try:
            self.process.wait(60)
        finally:
            self.process.kill()

    def request(self, method, path, data=None, kind="application/json"):
        """Its answer: the status, and what is in the body."""
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        request = urllib.request.Request(self.url + path, data and data.encode(), headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")

    def command(self, kind, **parameters):
        """A command by its websocket, and its result."""
        connection = websocket.create_connection(self.socket, timeout=30)
        try:
            connection.recv()
            connection.send(json.dumps({"type": "auth", "access_token": self.token}))
            assert json.loads(connection.recv())["type"] == "auth_ok"
            connection.send(json.dumps({"id": 1, "type": kind, **parameters}))
            answer = json.loads(connection.recv())
        finally:
            connection.close()
        assert answer["success"], answer
        return answer["result"]

    def onboard(self):
        """As a browser does: the first user, where home is, a token. Further steps need packages that are not there."""
        person = {"name": "Ann", "username": "ann", "password": "secret", "client_id": self.url + "/", "language": "en"}
        _, answer = self.request("POST", "/api/onboarding/users", json.dumps(person))
        form = {"grant_type": "authorization_code", "code": answer["auth_code"], "client_id": self.url + "/"}
        _, answer = self.request("POST", "/auth/token", urllib.parse.urlencode(form),
                                 "application/x-www-form-urlencoded")
        self.token = answer["access_token"]
        self.command("config/core/update", unit_system="metric", **HOME)
        self.token = self.command("auth/long_lived_access_token", client_name="locationd", lifespan=3650)

    def state(self, entity):
        """The state of an entity, with its attributes; None if there is none."""
        status, answer = self.request("GET", f"/api/states/{entity}")
        return answer if status == 200 else None

    def home(self):
        _, configuration = self.request("GET", "/api/config")
        return {key: configuration[key] for key in HOME}

    def registrations(self):
        """The identifiers of the devices that are registered as mobile apps."""
        _, entries = self.request("GET", "/api/config/config_entries/entry?domain=mobile_app")
        return [entry["entry_id"] for entry in entries]
