"""Debian's Chromium with one of our pages, which is watched for what must not happen."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from machine import PATIENCE

#: Collects what the Content Security Policy has blocked.
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
    window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""

expect.set_options(timeout=PATIENCE * 1000)


class Visit:
    """A browser window of its own. Closing it fails if the page asked another host, threw, or broke its policy.

    The browser is root's, and so are its connections: those of another user's window are made by a process of that user."""

    def __init__(self, browser, machine, uid=0, width=1200, height=850, allowed=(), **options):
        self.machine = machine
        self.uid = uid
        if uid != 0:
            options["proxy"] = {"server": f"socks5://127.0.0.1:{machine.relay(uid)}"}
        self.allowed = {machine.host or f"127.0.0.1:{machine.port}", *allowed}
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, **{"locale": "en-GB", "timezone_id": "UTC"} | options)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.context.add_init_script(VIOLATIONS)
        self.faults = []
        self.page = self.context.new_page()
        self.context.on("request", self.note_request)
        self.page.on("pageerror", lambda error: self.faults.append(f"the page threw {error}"))
        self.page.on("console", self.note_message)
        self.page.on("dialog", lambda dialog: self.faults.append(f"a dialog says {dialog.message}"))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.faults += self.page.evaluate("window.violations ?? []")
            assert not self.faults, self.faults
        self.context.close()

    def note_request(self, request):
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.netloc not in self.allowed:
            self.faults.append(f"a request to {request.url}")

    def note_message(self, message):
        if re.search("content security policy|violates", message.text, re.IGNORECASE):
            self.faults.append(message.text)

    def sign_in(self, view="live", state="tracking"):
        self.page.goto(self.machine.link(self.uid))
        if self.machine.host:
            # Behind a proxy nobody knows whose browser it is, and the page asks.
            self.page.get_by_role("button", name="Sign in").click()
        if view != "live":
            self.show(view)
        if state:
            self.expect_state(state)
        return self.page

    def show(self, view):
        self.page.locator(f'nav a[href="#{view}"]').click()
        expect(self.page.locator(f"#{view}")).to_be_visible()

    def expect_state(self, name):
        expect(self.page.locator("#state")).to_have_attribute("data-state", name)

    def confirm(self, choice):
        """Answers the page's own question: "yes" or "no"."""
        self.page.locator(f'dialog button[value="{choice}"]').click()
        expect(self.page.locator("dialog")).to_have_count(0)

    def screenshot(self, folder, name):
        self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)
