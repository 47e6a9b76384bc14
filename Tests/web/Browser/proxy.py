"""The pages behind Debian's nginx over the Unix socket, with the server that docs/web.md has."""

import pathlib
import re
import shutil
import socket
import subprocess
import tempfile

from playwright.sync_api import expect

from appearance import report
from browser import Visit
from machine import DRIVE, connects, eventually

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs/web.md"


class Proxy:
    """nginx with TLS at a port of this machine, by which the pages at `pages` are opened."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="locationd-proxy-")
        # Its workers are of another user.
        pathlib.Path(self.directory).chmod(0o755)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", f"{self.directory}/pages.key", "-out", f"{self.directory}/pages.pem"], check=True, capture_output=True)
        self.process = None

    @property
    def host(self):
        return f"localhost:{self.port}"

    def start(self, pages):
        [server] = re.findall(r"```nginx\n(.*?)```", GUIDE.read_text(), re.DOTALL)
        for written, own in (("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"), ("pages.example.org", "localhost"),
                             ("/etc/ssl/certs", self.directory), ("/etc/ssl/private", self.directory),
                             ("/run/locationd/web-http.sock", pages)):
            assert written in server, f"{GUIDE} has no {written}"
            server = server.replace(written, own)
        configuration = pathlib.Path(self.directory, "nginx.conf")
        configuration.write_text(f"daemon off; pid {self.directory}/pid; error_log {self.directory}/error.log; user www-data;\n"
                                 f"events {{}}\nhttp {{\naccess_log off;\n{server}}}\n")
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-c", configuration, "-e", f"{self.directory}/error.log"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually("nginx listens", lambda: connects(self.port))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.directory)


def pages_work_behind_nginx(bench):
    with Proxy() as proxy, bench.machine(sources=DRIVE, host=proxy.host) as machine:
        proxy.start(f"{machine.directory}/web-http.sock")
        # Whoever follows a link, also another user's, is asked first.
        with Visit(bench.browser, machine, ignore_https_errors=True) as visit:
            visit.page.goto(machine.link())
            expect(visit.page.get_by_role("heading", name="Sign in as root?")).to_be_visible()
            assert visit.page.url == f"https://{proxy.host}/open", visit.page.url
            assert visit.page.evaluate("async () => (await fetch('/session')).status") == 401
            assert visit.context.cookies() == []
            report(visit.page, "the question behind a proxy")
            visit.screenshot(bench.screenshots, "sign-in")
        with Visit(bench.browser, machine, ignore_https_errors=True) as visit:
            page = visit.sign_in()
            [cookie] = visit.context.cookies()
            assert cookie["name"] == "__Host-locationd-session" and cookie["secure"] and cookie["httpOnly"], cookie
            # Updates come through one by one.
            decimal = page.locator("#coordinates-decimal output")
            for _ in range(3):
                before = decimal.inner_text()
                eventually("the next location comes", lambda: decimal.inner_text() != before)
            assert page.evaluate("isSecureContext") and page.evaluate("location.protocol") == "https:"
            visit.show("administration")
            page.locator("#master-switch").click()
            visit.confirm("yes")
            visit.expect_state("disabled")
            page.locator("#master-switch").click()
            visit.expect_state("tracking")
            page.locator("#sign-out").click()
            expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()
        # By another name of the proxy nothing is served.
        with Visit(bench.browser, machine, ignore_https_errors=True, allowed=[f"127.0.0.1:{proxy.port}"]) as visit:
            reply = visit.page.goto(machine.link().replace("localhost", "127.0.0.1"))
            assert reply.status == 403 and "host" in reply.text(), reply.text()


CHECKS = [pages_work_behind_nginx]
