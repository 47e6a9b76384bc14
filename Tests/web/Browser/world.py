"""Coasts, borders and names of places, which the map has without images, with the network away."""

import re

from playwright.sync_api import expect

from browser import Visit
from machine import TOWER, eventually

LIGHT = {"land": [0xE7, 0xEB, 0xE1], "sea": [0xDB, 0xE7, 0xF1]}
DARK = {"land": [0x2B, 0x31, 0x2B], "sea": [0x17, 0x21, 0x2B]}
#: Off the coast of Brest: water alone for some kilometres.
AT_SEA = TOWER.replace("48.8584", "48.3").replace("2.2945", "-5.4")


def borders_are_drawn_offline(bench):
    for scheme, colours in (("light", LIGHT), ("dark", DARK)):
        with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine, color_scheme=scheme, reduced_motion="reduce") as visit:
            page = visit.sign_in()
            # In the streets no coast of this map is exact.
            expect(page.locator("#map")).not_to_have_attribute("data-base", re.compile("."))
            zoom_out(page, "detailed")
            eventually("Paris is on land", lambda: colour(page) == colours["land"])
            visit.screenshot(bench.screenshots, f"borders-{scheme}")
            zoom_out(page, "world")
            eventually("Paris is on land, seen from afar", lambda: colour(page) == colours["land"])
            visit.screenshot(bench.screenshots, f"world-{scheme}")
    with bench.machine(sources=AT_SEA) as machine, Visit(bench.browser, machine, color_scheme="light", reduced_motion="reduce") as visit:
        page = visit.sign_in()
        zoom_out(page, "detailed")
        expect(page.locator(".place", has_text="Brest")).to_be_visible()
        # Nothing is drawn there, and what is behind is the sea.
        eventually("it is no land", lambda: colour(page) == [0, 0, 0])
        background = page.locator("#map").evaluate("(map) => getComputedStyle(map).backgroundColor")
        assert background == f"rgb({', '.join(map(str, LIGHT['sea']))})", background


def names_come_with_the_zoom(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine, reduced_motion="reduce") as visit:
        page = visit.sign_in()
        paris, rouen = (page.locator(".place", has_text=re.compile(f"^{name}$")) for name in ("Paris", "Rouen"))
        zoom_out(page, "detailed")
        expect(paris).to_be_attached()
        zoom_out(page, "world")
        expect(paris).to_be_visible()
        expect(rouen).to_have_count(0)
        for _ in range(4):
            zoom(page, "in")
        expect(rouen).to_be_visible()
        boxes = page.locator(".place span").evaluate_all(
            "spans => spans.map((span) => span.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])")
        assert len(boxes) > 5, boxes
        for number, one in enumerate(boxes):
            for other in boxes[:number]:
                assert (one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0] or one[1] + one[3] <= other[1]
                        or other[1] + other[3] <= one[1]), (one, other)
        expect(page.locator("#map .leaflet-control-attribution")).to_contain_text("Natural Earth, GeoNames (CC BY 4.0)")


def files_are_sent_compressed_and_once(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine, reduced_motion="reduce") as visit:
        page = visit.sign_in()
        answers = []
        page.on("response", lambda response: "/base/" in response.url and answers.append(response))
        zoom_out(page, "world")
        eventually("the detailed shapes were asked for", lambda: page.evaluate("1") and answers)
        detailed = answers[0]
        assert detailed.url.endswith("/base/detailed.geojson") and detailed.headers["content-encoding"] == "gzip"
        for _ in range(2):
            zoom(page, "in")
        expect(page.locator("#map")).to_have_attribute("data-base", "detailed")
        assert len([answer for answer in answers if answer.url == detailed.url]) == 1
        # The track's map, and a page that is opened again, have them already.
        page.reload()
        visit.expect_state("tracking")
        zoom_out(page, "detailed")
        sizes = page.evaluate("""() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/base/"))
            .map(({ name, transferSize, decodedBodySize }) => [name, transferSize, decodedBodySize])""")
        assert sizes and all(transferred < 2000 < size for _, transferred, size in sizes), sizes


def map_without_the_package_has_its_grid(bench):
    with bench.machine(sources=TOWER, borders="/nonexistent") as machine, \
            Visit(bench.browser, machine, reduced_motion="reduce") as visit:
        page = visit.sign_in()
        for _ in range(16):
            zoom(page, "out")
        expect(page.locator(".graticule-label").first).to_be_attached()
        expect(page.locator(".place")).to_have_count(0)
        expect(page.locator("#map")).not_to_have_attribute("data-base", re.compile("."))


def zoom_out(page, name):
    """Until the shapes of that file are drawn."""
    for _ in range(20):
        if page.locator("#map").get_attribute("data-base") == name:
            return
        zoom(page, "out")
        wanted = page.evaluate(f"{ZOOM} > 9 ? null : {ZOOM} > 4 ? 'detailed' : 'world'")
        if wanted is not None:
            expect(page.locator("#map")).to_have_attribute("data-base", wanted)
    raise AssertionError(f"{name} is not drawn")


def zoom(page, direction):
    button = page.locator(f"#map .leaflet-control-zoom-{direction}")
    if "leaflet-disabled" in button.get_attribute("class"):
        return
    before = page.evaluate(ZOOM)
    button.click()
    eventually("the map has zoomed", lambda: page.evaluate(ZOOM) != before)


def colour(page):
    """That of the map's canvas in the middle."""
    return page.evaluate("""() => {
        const canvas = document.querySelector("#map .leaflet-world-pane canvas");
        const { width, height } = document.querySelector("#map").getBoundingClientRect();
        const frame = document.querySelector("#map").getBoundingClientRect(), own = canvas.getBoundingClientRect();
        const scale = canvas.width / own.width;
        const [x, y] = [frame.x + width / 2 - own.x, frame.y + height / 2 - own.y];
        return [...canvas.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data].slice(0, 3);
    }""")


ZOOM = "Number(document.querySelector('#map').dataset.zoom)"

CHECKS = [borders_are_drawn_offline, names_come_with_the_zoom, files_are_sent_compressed_and_once,
          map_without_the_package_has_its_grid]
