"""What others write is shown as text, and the page asks nobody but its own server."""

import re

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, TOWER, eventually
from receiver import Receiver

#: Without quotation marks, which the rule of claims replaces.
MARKUP = "<img src=x onerror=window.attacked=1><script>window.attacked=1</script>"


def markup_in_purposes_is_text(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        machine.client(ANNA, "RequestAuthorization", {"level": "always", "purpose": MARKUP})
        machine.client(ANNA, "Watch", {"purpose": MARKUP})
        page = visit.sign_in(view="administration")
        for place in ("#requests li .purpose", "#clients tr td", "#history tr td"):
            expect(page.locator(place, has_text=MARKUP).first).to_be_visible()
        assert page.locator("main img").count() == 0
        assert page.evaluate("window.attacked") is None
        visit.screenshot(bench.screenshots, "markup")


def markup_in_the_name_of_a_device_is_text(bench):
    device = "<img src=x onerror=window.attacked=1>"
    with Receiver(device) as receiver, bench.machine(sources=receiver.source) as machine, \
            Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#readings")).to_contain_text(device)
        # A receiver's fixes are neither simulated nor old.
        expect(page.locator("#marks")).to_be_empty()
        expect(page.locator("#coordinates-dms output")).to_contain_text("48° 07′ 02")
        assert page.locator("main img").count() == 0
        assert page.evaluate("window.attacked") is None
        receiver.lose_fix()
        visit.expect_state(re.compile("lost|lostSky"))
        expect(page.locator("#marks")).to_have_text("Old")
        visit.screenshot(bench.screenshots, "device")


def markup_in_the_attribution_is_text(bench):
    tiles = f"""tiles = "http://tiles.invalid/{{z}}/{{x}}/{{y}}.png"\nattribution = '{MARKUP}'\n"""
    with bench.machine(sources=TOWER, web=tiles) as machine, \
            Visit(bench.browser, machine, allowed=["tiles.invalid"]) as visit:
        asked = []
        visit.context.route("http://tiles.invalid/**", lambda route: (asked.append(route.request.url), route.abort()))
        page = visit.sign_in()
        expect(page.locator("#map .leaflet-control-attribution")).to_contain_text(MARKUP)
        eventually("the tiles that are configured are asked for", lambda: page.evaluate("1") and asked)
        assert page.locator(".leaflet-control-attribution img").count() == 0
        assert page.evaluate("window.attacked") is None


def link_works_once(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit, Visit(bench.browser, machine) as thief:
        link = machine.link()
        visit.page.goto(link)
        visit.expect_state("tracking")
        assert "token" not in visit.page.url
        reply = thief.page.goto(link)
        assert reply.status == 403, reply.status
        expect(thief.page.get_by_role("heading", name="Not signed in")).to_be_visible()
        assert "locctl web" in thief.page.content()
        visit.page.locator("#sign-out").click()
        expect(visit.page.get_by_role("heading", name="Not signed in")).to_be_visible()
        assert visit.page.goto(machine.address).status == 403


def link_of_another_user_opens_nothing(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as thief, Visit(bench.browser, machine, uid=ANNA) as visit:
        link = machine.link(ANNA)
        assert thief.page.goto(link).status == 403
        expect(thief.page.get_by_role("heading", name="Not signed in")).to_be_visible()
        visit.page.goto(link)
        visit.expect_state("notDetermined")


def file_of_the_desktop_opens_the_pages(bench):
    """Also where the link is followed from a page of others, which does not get the cookie sent by a redirection."""
    with bench.machine() as machine, Visit(bench.browser, machine, uid=ANNA) as visit:
        visit.page.goto(f"file://{machine.desktop_file(ANNA)}")
        visit.expect_state("notDetermined")
        assert visit.page.url == f"{machine.address}/", visit.page.url
        # Going back leads to the pages, not to a link that is used up.
        visit.page.goto("about:blank")
        visit.page.go_back()
        visit.expect_state("notDetermined")


def cookie_of_another_port_signs_nobody_out(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        visit.sign_in()
        # Cookies know no ports, and those of the longer path are sent first.
        visit.context.add_cookies([{"name": "locationd-session", "value": value, "domain": "127.0.0.1", "path": path}
                                   for value, path in (("0" * 64, "/session"), ("", "/live"), ("1", "/call"))])
        visit.page.reload()
        visit.expect_state("tracking")


def cookie_is_kept_from_scripts(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        [cookie] = visit.context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
        assert page.evaluate("document.cookie") == ""


CHECKS = [markup_in_purposes_is_text, markup_in_the_name_of_a_device_is_text, markup_in_the_attribution_is_text,
          link_works_once, link_of_another_user_opens_nothing, file_of_the_desktop_opens_the_pages,
          cookie_of_another_port_signs_nobody_out, cookie_is_kept_from_scripts]
