"""The position, the coordinates, the satellites and the sources."""

import json
import re

from playwright.sync_api import expect

from browser import Visit
from machine import DRIVE, TOWER, eventually
from receiver import Receiver


def simulated_drive_moves_and_is_marked(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#marks")).to_have_text("Simulated")
        expect(page.locator(".position")).to_have_class(with_class("simulated"))
        expect(page.locator("#age")).to_contain_text("Measured")
        trail = page.locator("path.trail")
        # A pixel is 3 m. Leaflet leaves out the points of a straight line, so that their number says nothing.
        eventually("the trail grows", lambda: trail.evaluate("(path) => path.getTotalLength()") > 5)
        expect(trail).to_have_class(with_class("simulated"))
        arrow = page.locator(".position .arrow")
        eventually("the arrow shows the course", lambda: arrow.get_attribute("visibility") == "visible")
        course = page.locator("#readings div", has_text="Course").locator("dd").inner_text()
        told = json.loads(machine.locctl("get", "--json").stdout.splitlines()[0])
        assert abs((int(course.split("°")[0]) - told["course"] + 180) % 360 - 180) < 30, (course, told["course"])
        visit.screenshot(bench.screenshots, "position")


def estimate_is_shown_beside_the_fix(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        dot = page.locator("path.estimate-dot")
        expect(dot).to_have_count(0)
        button = page.locator("#estimate")
        count_watches(machine, 1)
        button.click()
        count_watches(machine, 2)
        expect(dot).to_have_count(1)
        expect(page.locator("path.estimate")).to_have_count(1)
        expect(page.locator(".position")).to_have_count(1)
        visit.screenshot(bench.screenshots, "estimate")
        # Nobody works for a page that does not show it.
        button.click()
        expect(dot).to_have_count(0)
        expect(button).to_have_attribute("aria-pressed", "false")
        expect(page.locator(".position")).to_have_count(1)
        count_watches(machine, 1)


def count_watches(machine, count):
    """Waits until the pages have so many watches for locations at the daemon."""
    def watches():
        clients = json.loads(machine.locctl("clients", "--json").stdout)["clients"]
        return [client for client in clients if client.get("request") == "Watch" and client.get("label") == "web page"]
    eventually(f"{count} watches of the pages", lambda: len(watches()) == count)


def fixed_position_in_every_notation_can_be_copied(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#marks")).to_have_text("Fixed position, not measured")
        for name, value in {
            "decimal": "48.858400, 2.294500", "dms": "48° 51′ 30.24″ N, 2° 17′ 40.20″ E", "utm": "31U 448252 E 5411954 N",
            "mgrs": "31U DQ 48252 11954", "maidenhead": "JN18du56",
        }.items():
            row = page.locator(f"#coordinates-{name}")
            expect(row.locator("output")).to_have_text(value)
            row.get_by_role("button").click()
            expect(page.locator("#copied")).to_have_text(f"Copied: {value}")
            assert page.evaluate("navigator.clipboard.readText()") == value
        expect(page.locator("#readings")).to_contain_text("± 10 m")
        # Nothing measures it, and nothing but its arrival has a time.
        time = page.locator("#readings div", has_text="Time").locator("dd")
        expect(time).to_have_text(re.compile(r"\d\d?:\d\d:\d\d.* \(arrival\)$"))


def units_are_those_chosen_and_are_kept(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        readings = page.locator("#readings")
        for units, words in {"imperial": "± 33 ft", "nautical": "± 10 m", "metric": "± 10 m"}.items():
            page.locator("#units").select_option(units)
            expect(readings).to_contain_text(words)
        with Visit(bench.browser, machine) as other:
            page = other.sign_in()
            page.locator("#units").select_option("imperial")
            page.reload()
            expect(page.locator("#units")).to_have_value("imperial")
            expect(page.locator("#readings")).to_contain_text("115 ft")


def map_follows_until_it_is_dragged(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        follow = page.locator("#follow")
        expect(follow).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".position")).to_be_visible()
        box = page.locator("#map").bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] - 150, middle[1] - 60, steps=5)
        page.mouse.up()
        expect(follow).to_have_attribute("aria-pressed", "false")
        follow.click()
        expect(follow).to_have_attribute("aria-pressed", "true")
        eventually("the position is in the middle again", lambda: is_near(page.locator(".position").bounding_box(), middle))
        page.locator(".leaflet-control-zoom-out").click()
        expect(page.locator(".graticule-label").first).to_be_attached()


def satellites_stand_in_the_sky(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="sky")
        expect(page.locator("#sky-summary")).to_contain_text("satellites in view")
        rows = page.locator("#satellites tr")
        eventually("each satellite of the table stands in the plot",
                   lambda: rows.count() == page.locator("#sky-plot .satellite").count() >= 8)
        widths = page.locator("#satellites rect").evaluate_all("bars => bars.map((bar) => Number(bar.getAttribute('width')))")
        assert all(0 < width <= 100 for width in widths), widths
        place = page.evaluate(PLACE)
        assert place["distance"] < 3, place
        visit.screenshot(bench.screenshots, "satellites")


def sources_are_listed_by_rank(bench):
    with bench.machine(sources=DRIVE + TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="sky")
        items = page.locator("#sources li")
        expect(items).to_have_count(2)
        expect(items.nth(0)).to_contain_text("drive")
        expect(items.nth(0)).to_contain_text("in use")
        machine.locctl("source", "drive", "off")
        expect(items.nth(1)).to_contain_text("in use")
        expect(items.nth(0)).not_to_contain_text("in use")
        visit.show("live")
        expect(page.locator("#marks")).to_have_text("Fixed position, not measured")


def replayed_recording_is_marked(bench):
    with bench.machine() as machine:
        recording = machine.directory / "recording.jsonl"
        machine.locctl("record", str(recording), "--count", "3")
        replay = f'[[sources]]\nkind = "replay"\nfile = "{recording}"\nloop = true\n'
        with bench.machine(sources=replay) as other, Visit(bench.browser, other) as visit:
            page = visit.sign_in()
            expect(page.locator("#marks")).to_contain_text("Replayed recording")
            expect(page.locator(".position")).to_have_class(with_class("replayed"))


def time_that_cannot_be_true_is_marked(bench):
    # A date before the release of this version; gpsd itself corrects those before its own. The position is true all the same.
    with Receiver("slow", date="010625") as receiver, bench.machine(sources=receiver.source) as machine, \
            Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#marks")).to_have_text("The receiver's time cannot be true")
        time = page.locator("#readings div", has_text="Time").locator("dd")
        expect(time).to_have_text(re.compile(r"2025.* \(cannot be true\)$"))
        expect(page.locator("#coordinates-decimal output")).to_have_text("48.117300, 11.516667")


def is_near(box, point):
    return box is not None and all(
        abs(box[axis] + box[size] / 2 - value) < 30 for axis, size, value in zip("xy", ("width", "height"), point))


def with_class(name):
    return re.compile(rf"(^|\s){name}(\s|$)")


#: How far the first satellite of the table stands from where its azimuth and elevation put it, in units of the plot.
PLACE = """() => {
    const [azimuth, elevation] = [3, 2].map((index) => parseFloat(document.querySelector("#satellites tr").children[index].textContent));
    const name = document.querySelector("#satellites th").textContent;
    const mark = [...document.querySelectorAll("#sky-plot .satellite")].find((node) => node.querySelector("title").textContent === name);
    const circle = mark.querySelector("circle");
    const radius = 100 * (90 - elevation) / 90;
    const x = radius * Math.sin(azimuth * Math.PI / 180), y = -radius * Math.cos(azimuth * Math.PI / 180);
    return { name, distance: Math.hypot(circle.getAttribute("cx") - x, circle.getAttribute("cy") - y) };
}"""

CHECKS = [simulated_drive_moves_and_is_marked, estimate_is_shown_beside_the_fix, fixed_position_in_every_notation_can_be_copied,
          units_are_those_chosen_and_are_kept, map_follows_until_it_is_dragged, satellites_stand_in_the_sky,
          sources_are_listed_by_rank, replayed_recording_is_marked, time_that_cannot_be_true_is_marked]
