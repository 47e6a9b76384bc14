"""Where the device points to, the ellipse of the error, and what the place is called."""

import json
import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from browser import Visit
from compass import Compass
from machine import DRIVE, TOWER, eventually
from receiver import Receiver


def heading_is_that_of_now(bench):
    with Compass(90) as compass, \
            bench.machine(sources=TOWER + compass.source, environment=compass.environment) as machine, \
            Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        reading = page.locator("#readings div", has_text="Heading").locator("dd")
        cone = page.locator(".position .heading")
        # Magnetic north is some degrees from true north in Paris.
        eventually("the cone points east", lambda: abs(direction(cone) - 90) < 6)
        eventually("so does the reading", lambda: abs(int(reading.inner_text().split("°")[0]) - 90) < 6)
        compass.turn(200)
        eventually("it turns with the device", lambda: abs(direction(cone) - 200) < 6)
        expect(reading).to_contain_text("S")
        visit.screenshot(bench.screenshots, "heading")
        compass.proxy.kill()
        # The position is still that of now, the heading is not.
        expect(reading).to_be_hidden()
        expect(cone).to_have_attribute("visibility", "hidden")
        expect(page.locator("body")).not_to_have_class(re.compile(r"(^|\s)old(\s|$)"))


def direction(cone):
    """Degrees from north; far from all where none is shown."""
    turned = re.fullmatch(r"rotate\((.*)\)", cone.get_attribute("transform") or "")
    return float(turned[1]) if turned and cone.get_attribute("visibility") == "visible" else 1000


def ellipse_takes_the_circles_place(bench):
    with Receiver("ellipse", ellipse=(30, 10, 40)) as receiver, bench.machine(sources=receiver.source) as machine, \
            Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        # Standard deviations: 95 per cent are 2.45 of them.
        reading = page.locator("#readings div", has_text="Error ellipse").locator("dd")
        expect(reading).to_have_text("± 73 m × 24 m, 40° (95 %)")
        accuracy = page.locator("#map path.accuracy")
        expect(accuracy).to_have_count(1)
        longer, shorter, turned = page.evaluate(SHAPE)
        # Leaflet draws in whole pixels.
        assert abs(longer / shorter - 3) < 0.2 and abs(turned - 40) < 8, (longer, shorter, turned)
        visit.screenshot(bench.screenshots, "ellipse")
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#map path.accuracy")).to_have_count(1)
        longer, shorter, _ = page.evaluate(SHAPE)
        assert abs(longer / shorter - 1) < 0.05, (longer, shorter)
        expect(page.locator("#readings div", has_text="Error ellipse")).to_be_hidden()


#: The longest and the shortest radius of what is drawn, and the direction of the longest from north, 0 to 180.
SHAPE = """() => {
    const path = document.querySelector("#map path.accuracy");
    const length = path.getTotalLength();
    const points = Array.from({ length: 720 }, (_, index) => path.getPointAtLength(length * index / 720));
    const middle = ["x", "y"].map((axis) => (Math.max(...points.map((p) => p[axis])) + Math.min(...points.map((p) => p[axis]))) / 2);
    const radii = points.map(({ x, y }) => Math.hypot(x - middle[0], y - middle[1]));
    const farthest = points[radii.indexOf(Math.max(...radii))];
    const angle = Math.atan2(farthest.x - middle[0], middle[1] - farthest.y) * 180 / Math.PI;
    return [Math.max(...radii), Math.min(...radii), (angle + 180) % 180];
}"""


def place_is_named_in_the_language(bench):
    with bench.machine(sources=TOWER, places=True) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        place = page.locator("#place")
        expect(place).to_contain_text("Paris")
        expect(place).to_contain_text("France")
        expect(place).to_contain_text("GeoNames")
        page.locator("#language").select_option("de")
        expect(place).to_contain_text("Frankreich")
        visit.screenshot(bench.screenshots, "place")


def place_is_asked_for_seldom(bench):
    with bench.machine(sources=DRIVE + "speed = 100\n", places=True) as machine, Visit(bench.browser, machine) as visit:
        asked = []
        visit.context.on("request", lambda request: "ReverseGeocode" in request.url and asked.append(json.loads(request.post_data)))
        visit.page.clock.install()
        page = visit.sign_in()
        expect(page.locator("#place")).to_contain_text("Berlin")
        first = page.locator("#coordinates-decimal output").inner_text()

        def metres():
            then, now = ([float(part) for part in text.split(", ")] for text in
                         (first, page.locator("#coordinates-decimal output").inner_text()))
            return 111_000 * abs(now[0] - then[0]) + 67_000 * abs(now[1] - then[1])

        # Far, and yet too soon for another question.
        eventually("it has moved", lambda: metres() > 110)
        assert len(asked) == 1, asked
        page.clock.fast_forward(31_000)
        eventually("it is asked for again", lambda: page.evaluate("1") and len(asked) == 2)
        assert asked[0] != asked[1], asked


def nothing_is_asked_of_what_is_not_installed(bench):
    """Without locationd-places, locationd-history and the map's borders no request of any view fails."""
    with bench.machine(borders="/nonexistent") as machine, Visit(bench.browser, machine) as visit:
        asked, errors = [], []
        visit.context.on("request", lambda request: asked.append(urlsplit(request.url).path))
        visit.page.on("console", lambda message: message.type == "error" and errors.append((message.text, message.location)))
        page = visit.sign_in()
        expect(page.locator("#map .position")).to_be_visible()
        for view in ("sky", "administration", "track", "live"):
            visit.show(view)
        # Once at the beginning, once for the place's name and once for the track: they may be installed meanwhile.
        eventually("it is asked what is there", lambda: page.evaluate("1") and asked.count("/session") == 3)
        expect(page.locator("#place")).to_be_hidden()
        expect(page.locator("#notice")).to_be_hidden()
        in_vain = [path for path in asked if path.startswith(("/base/", "/call/org.locationd.places.", "/call/org.locationd.history."))]
        assert not in_vain and not errors, (in_vain, errors)


def no_location_is_asked_for_before_the_first(bench):
    with bench.machine(sources='[[sources]]\nkind = "gpsd"\nport = 1\n') as machine, Visit(bench.browser, machine) as visit:
        asked = []
        visit.context.on("request", lambda request: asked.append(request.url))
        page = visit.sign_in(state="unavailable")
        expect(page.locator("#age")).to_have_text("No position yet")
        page.evaluate("1")
        assert not [url for url in asked if url.endswith("GetLocation")], asked


def place_is_named_once_the_service_is_installed(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#place")).to_be_hidden()
        machine.start_places(".build/geodata/places.sqlite")
        page.locator("#language").select_option("de")
        expect(page.locator("#place")).to_contain_text("Frankreich")


CHECKS = [heading_is_that_of_now, ellipse_takes_the_circles_place, place_is_named_in_the_language, place_is_asked_for_seldom,
          nothing_is_asked_of_what_is_not_installed, no_location_is_asked_for_before_the_first,
          place_is_named_once_the_service_is_installed]
