"""Regions that are drawn on the map, and map images of this machine."""

import re

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, TOWER, eventually

MARKUP = "<img src=x onerror=window.attacked=1>"


def circle_is_drawn_entered_and_left(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#no-regions")).to_be_visible()
        # By keyboard alone: the map's middle follows the position.
        page.locator("#draw").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Name")).to_be_focused()
        page.keyboard.type("at home")
        page.get_by_label("Radius").fill("30")
        page.get_by_role("button", name="Take the map's middle").press("Enter")
        expect(page.locator("path.drawn")).to_have_count(2)
        visit.screenshot(bench.screenshots, "drawing")
        page.get_by_label("Name").press("Enter")
        item = page.locator("#regions li")
        expect(item).to_contain_text("at home")
        expect(item).to_contain_text("circle of 30 m")
        expect(page.locator("#drawing")).to_be_hidden()
        expect(page.locator("#draw")).to_be_focused()
        expect(item.locator(".tag")).to_have_text("inside")
        expect(page.locator("path.region.inside")).to_have_count(1)
        # The drive goes on.
        expect(page.locator("#region-events li").first).to_contain_text("left at home")
        expect(item.locator(".tag")).to_have_text("outside")
        visit.screenshot(bench.screenshots, "regions")


def polygon_is_drawn_kept_and_removed(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator(".position")).to_be_visible()
        page.locator("#draw").click()
        page.get_by_label("Name").fill(MARKUP)
        page.get_by_label("Polygon").check()
        box = page.locator("#map").bounding_box()
        save = page.get_by_role("button", name="Save")
        save.click()
        expect(page.locator("#notice")).to_contain_text("three corners")
        for x, y in ((0.3, 0.3), (0.7, 0.3), (0.95, 0.95), (0.5, 0.7)):
            page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
        expect(page.locator("#drawing .hint")).to_contain_text("Corners: 4")
        page.get_by_role("button", name="Undo the last point").click()
        expect(page.locator("#drawing .hint")).to_contain_text("Corners: 3")
        page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.7)
        save.click()
        expect(page.locator("#notice")).to_be_hidden()
        item = page.locator("#regions li")
        expect(item).to_contain_text(MARKUP)
        expect(item).to_contain_text("polygon of 4 corners")
        expect(item.locator(".tag")).to_have_text("inside")
        assert page.evaluate("window.attacked") is None
        # Another page of the user has it, also after the daemon has started again; nobody else has.
        machine.kill("locationd")
        machine.start_daemon()
        with Visit(bench.browser, machine) as later, Visit(bench.browser, machine, uid=ANNA) as anna:
            other = later.sign_in().locator("#regions li")
            expect(other).to_contain_text(MARKUP)
            expect(anna.sign_in(state="notDetermined").locator("#no-regions")).to_be_visible()
            other.get_by_role("button").click()
            later.confirm("no")
            expect(other).to_have_count(1)
            other.get_by_role("button").click()
            later.confirm("yes")
            expect(other).to_have_count(0)
            expect(item).to_have_count(0)


def drawing_refuses_what_cannot_be(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        page.locator("#draw").click()
        save = page.get_by_role("button", name="Save")
        notice = page.locator("#notice")
        save.click()
        expect(notice).to_contain_text("Give the region a name")
        page.get_by_label("Name").fill("x")
        save.click()
        expect(notice).to_contain_text("Choose the centre")
        page.get_by_role("button", name="Take the map's middle").click()
        page.get_by_label("Radius").fill("20000000")
        save.click()
        expect(notice).to_contain_text("The radius is 1 m to 10,000 km")
        page.get_by_label("Radius").fill("")
        page.get_by_label("Name").fill("y")
        save.click()
        expect(notice).to_contain_text("The radius is 1 m to 10,000 km")
        page.get_by_role("button", name="Cancel").click()
        expect(notice).to_be_hidden()
        expect(page.locator("path.drawn")).to_have_count(0)
        expect(page.locator("#regions li")).to_have_count(0)


def images_of_this_machine_are_shown(bench):
    with bench.machine(sources=TOWER, maps={"plain": (200, 30, 30), "<b>other": (30, 30, 200)}) as machine, \
            Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        choice = page.locator("#map .leaflet-control-layers-base label")
        expect(choice).to_have_count(2)
        expect(choice.filter(has_text="<b>other")).to_have_count(1)
        eventually("images are drawn", lambda: loaded(page))
        choice.filter(has_text="plain").locator("input").check()
        eventually("images of the other map are drawn", lambda: any("/tiles/plain/" in source for source in loaded(page)))
        expect(page.locator("#map .leaflet-control-attribution")).to_have_text(re.compile("drawn by the test"))
        visit.screenshot(bench.screenshots, "images")


def loaded(page):
    return page.evaluate("""[...document.querySelectorAll("#map img.leaflet-tile")].filter((image) => image.naturalWidth === 256)
        .map((image) => image.src)""")


CHECKS = [circle_is_drawn_entered_and_left, polygon_is_drawn_kept_and_removed, drawing_refuses_what_cannot_be,
          images_of_this_machine_are_shown]
