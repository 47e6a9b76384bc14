"""Debian's Firefox by WebDriver BiDi (W3C), which it speaks itself: Playwright has a Firefox of its own, which Debian has not."""

import base64
import itertools
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile

from websockets.sync.client import connect

from machine import PATIENCE, connects, eventually

#: Nothing of the browser's own is to be loaded from the network.
PREFERENCES = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("intl.accept_languages", "en-GB");
"""


class Firefox:
    """One window; what its pages log as errors is in `errors`, what they ask for in `requests`."""

    def __init__(self, program="firefox-esr"):
        self.directory = tempfile.mkdtemp(prefix="locationd-firefox-")
        pathlib.Path(self.directory, "user.js").write_text(PREFERENCES)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", self.directory, f"--remote-debugging-port={port}"],
            env={"HOME": self.directory, "PATH": "/usr/bin:/bin", "MOZ_CRASHREPORTER_DISABLE": "1"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            eventually("Firefox listens", lambda: connects(port))
            self.socket = connect(f"ws://127.0.0.1:{port}/session", max_size=None, open_timeout=PATIENCE)
            self.numbers, self.errors, self.requests = itertools.count(1), [], []
            self.command("session.new", capabilities={})
            self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]
            self.command("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.close()

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def command(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(PATIENCE))
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])
            elif message.get("method") == "network.beforeRequestSent":
                self.requests.append(message["params"]["request"]["url"])

    def open(self, url):
        self.command("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression):
        """The value of JavaScript that gives a text, a number or a truth value."""
        result = self.command("script.evaluate", target={"context": self.context}, expression=expression, awaitPromise=True)
        assert result["type"] == "success", result
        return result["result"].get("value")

    def screenshot(self, path):
        data = self.command("browsingContext.captureScreenshot", context=self.context)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
