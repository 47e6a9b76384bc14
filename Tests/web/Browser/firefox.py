"""Every page in Debian's Firefox, once."""

import re
from urllib.parse import urlsplit

from bidi import Firefox
from fleet import Fleet
from machine import ANNA, DRIVE, TOWER, eventually

#: What each page shows when it works.
SHOWN = {
    "live": "#map .position", "sky": "#satellites tr", "track": "#trips button", "fleet": "#devices tr",
    "administration": "#clients tr",
}


def every_page_works_in_firefox(bench):
    with Fleet(bench.arguments.binaries) as fleet, \
            bench.machine(history=True, places=True, sources=DRIVE + TOWER, fleet=fleet.socket) as machine, Firefox() as firefox:
        fleet.publish("anna/boat", lat=54.3233, lon=10.1394)
        firefox.open(machine.link())
        eventually("the position is known", lambda: firefox.evaluate("document.querySelector('#state').dataset.state") == "tracking")
        for view, something in SHOWN.items():
            firefox.evaluate(f"document.querySelector('nav a[href=\"#{view}\"]').click()")
            eventually(f"{view} is shown", lambda: firefox.evaluate(
                f"document.querySelector('#{view} {something}')?.checkVisibility() === true"))
            firefox.screenshot(f"{bench.screenshots}/firefox-{view}.png")
        firefox.evaluate("document.querySelector('nav a[href=\"#live\"]').click()")
        text = "document.querySelector('#coordinates-decimal output').textContent"
        before = firefox.evaluate(text)
        eventually("updates come", lambda: firefox.evaluate(text) != before)
        eventually("the place is named", lambda: "Berlin" in firefox.evaluate("document.querySelector('#place').textContent"))
        # A click while the map still zooms is lost.
        eventually("the map is drawn", lambda: firefox.evaluate(
            "document.querySelector('#map').dataset.base !== undefined"
            " || document.querySelector('#map .leaflet-control-zoom-out').click()"))
        firefox.screenshot(f"{bench.screenshots}/firefox-map.png")
        firefox.evaluate("document.querySelector('#language').value = 'de'; "
                         "document.querySelector('#language').dispatchEvent(new Event('change')); true")
        eventually("it is in German", lambda: firefox.evaluate("document.querySelector('#state .headline').textContent")
                   == "Die Position ist bekannt")
        firefox.evaluate("document.querySelector('#sign-out').click()")
        eventually("it is signed out", lambda: firefox.evaluate("location.pathname") == "/signed-out.html")
        assert not firefox.errors, firefox.errors
        # A policy that blocks something is an error of the log, too; the browser's own requests are no page's.
        hosts = {urlsplit(url).netloc for url in firefox.requests if url.startswith("http")}
        assert hosts == {f"127.0.0.1:{machine.port}"}, hosts


def file_of_the_desktop_opens_the_pages_in_firefox(bench):
    with bench.machine() as machine, Firefox() as firefox:
        # The browser is root's, who has no desktop.
        file = machine.desktop_file(ANNA)
        file.write_text(re.sub(r"http://[^\"]+", machine.link(), file.read_text()))
        firefox.open(f"file://{file}")
        eventually("the position is known", lambda: firefox.evaluate("document.querySelector('#state')?.dataset.state") == "tracking")
        assert firefox.evaluate("location.href") == f"{machine.address}/"
        assert not firefox.errors, firefox.errors


CHECKS = [file_of_the_desktop_opens_the_pages_in_firefox, every_page_works_in_firefox]
