"""For everybody: accessible, in two languages, by keyboard, on a phone, dark and light, and light on the network."""

import json
import pathlib
import re
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import Visit
from fleet import Fleet
from machine import ANNA, BORIS, DRIVE, TOWER, eventually

PAGES = pathlib.Path(__file__).resolve().parents[3] / "Sources/web/locationd-web/Pages"
VIEWS = ["live", "sky", "track", "fleet", "administration"]
BUDGET = 296 * 1024


def axe_finds_no_violation(bench):
    with Fleet(bench.arguments.binaries) as fleet, \
            bench.machine(history=True, sources=DRIVE + TOWER, fleet=fleet.socket) as machine:
        fleet.publish("anna/boat", lat=54.3233, lon=10.1394, acc=5, vel=12, simulated=True)
        fleet.publish("otto/phone", lat=53.5, lon=9.9, tst=1_700_000_000, batt=80)
        machine.client(ANNA, "RequestAuthorization", {"level": "always", "purpose": "shows the weather"})
        for scheme, width, language in (("light", 1200, "en-GB"), ("dark", 1200, "de-DE"), ("light", 360, "de-DE"), ("dark", 360, "en-GB")):
            with Visit(bench.browser, machine, width=width, color_scheme=scheme, locale=language) as visit:
                page = visit.sign_in()
                for view in VIEWS:
                    visit.show(view)
                    wait_for(page, view)
                    report(page, f"{view}, {scheme}, {width}")
                    visit.screenshot(bench.screenshots, f"{view}-{scheme}-{width}")
                    assert page.evaluate("document.scrollingElement.scrollWidth") <= width, (view, width)
                visit.show("administration")
                page.locator("#master-switch").click()
                report(page, f"question, {scheme}, {width}")
                visit.confirm("no")
                page.locator("#sign-out").click()
                expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()
                report(page, f"signed out, {scheme}, {width}")
        with Visit(bench.browser, machine, uid=ANNA) as visit:
            page = visit.sign_in(state="pending")
            report(page, "without permission")


def wait_for(page, view):
    """Until the view has what it shows."""
    something = {"live": "#map .position", "sky": "#satellites tr", "track": "#trips button", "fleet": "#devices tr",
                 "administration": "#clients tr"}
    expect(page.locator(something[view]).first).to_be_visible()


def report(page, where):
    found = Axe().run(page)
    violations = [(item["id"], item["help"], [node["html"][:200] for node in item["nodes"]])
                  for item in found.response["violations"]]
    assert not violations, (where, violations)


def nothing_is_cut_on_narrow_screens(bench):
    """Tables need no scrolling sideways, what can be done is beside the name, and the header has two lines on a phone."""
    # The header is longest with the fleet and a request.
    with bench.machine(sources=TOWER, fleet="/dev/null") as machine:
        machine.locctl("authorize", f"uid:{ANNA}")
        machine.client(ANNA, "Watch", {"purpose": "says where each of us is, and for how long"})
        machine.client(BORIS, "RequestAuthorization", {"level": "always", "purpose": "shows the weather"})
        for width in (360, 390, 768, 1024, 1280):
            for language in ("en-GB", "de-DE"):
                with Visit(bench.browser, machine, width=width, locale=language) as visit:
                    page = visit.sign_in(view="administration")
                    for rows in ("#requests li", "#clients tr", "#decisions tr", "#switches tr", "#history tr"):
                        expect(page.locator(rows).first).to_be_visible()
                    expect(page.locator("#request-count")).to_be_visible()
                    is_whole(page, width, language)
                    if width <= 390:
                        assert page.evaluate(HEADER_LINES) == 2, (width, language)
                        gap = page.locator("#decisions tr").first.evaluate(GAP)
                        assert 0 <= gap < 10, f"the buttons are {gap} px below the name"
                    visit.show("sky")
                    page.evaluate(SATELLITES)
                    expect(page.locator("#satellites tr")).to_have_count(2)
                    is_whole(page, width, language)


def is_whole(page, *where):
    cut = page.evaluate(CUT)
    assert not cut, (where, cut)


#: What reaches out of the window, or of what scrolls.
CUT = """() => [...document.querySelectorAll(".scrolled, button, select, a, .badge")].filter((node) => node.checkVisibility())
    .filter((node) => node.matches(".scrolled") && node.scrollWidth > node.clientWidth || node.getBoundingClientRect().right > innerWidth)
    .map((node) => [node.textContent.slice(0, 40), node.scrollWidth, node.clientWidth])"""
#: Counted by the middles of what is in it.
HEADER_LINES = """() => new Set([...document.querySelectorAll("header nav a, header select, header strong, header button")]
    .filter((node) => node.checkVisibility()).map((node) => node.getBoundingClientRect())
    .map(({ top, bottom }) => Math.round((top + bottom) / 40))).size"""
#: From a row's name to its first button.
GAP = "(row) => row.querySelector('button').getBoundingClientRect().top - row.cells[0].getBoundingClientRect().bottom"
#: The longest names and numbers.
SATELLITES = """async () => {
    const { feed } = await import("/feed.js");
    feed.satellites = [true, false].map((used) => ({ gnss: "GLONASS", id: 88, signal: 44, elevation: 44, azimuth: 288, used }));
    feed.satellitesAt = performance.now();
    feed.dispatchEvent(new Event("satellites"));
}"""


def catalogues_have_the_same_texts():
    catalogues = {name: json.loads((PAGES / f"text/{name}.json").read_text()) for name in ("en", "de")}
    assert catalogues["en"].keys() == catalogues["de"].keys(), catalogues["en"].keys() ^ catalogues["de"].keys()
    for key, english in catalogues["en"].items():
        places = [set(re.findall(r"\{\w+\}", text)) for text in (english, catalogues["de"][key])]
        assert places[0] == places[1], key
    return catalogues["en"].keys()


def texts_are_there_in_both_languages(bench):
    keys = catalogues_have_the_same_texts()
    used = set()
    for file in PAGES.iterdir():
        if file.suffix in (".html", ".js"):
            content = file.read_text()
            used |= set(re.findall(r'data-(?:text|label)="([\w.]+)"', content))
            used |= set(re.findall(r'\btext\("([\w.]+)"', content))
            for pair in re.findall(r'\btext\([\w.()]+ \? "([\w.]+)" : "([\w.]+)"', content):
                used |= set(pair)
    assert len(used) > 80 and used <= keys, (len(used), used - keys)
    with bench.machine(sources=TOWER) as machine:
        with Visit(bench.browser, machine, locale="de-DE") as visit:
            page = visit.sign_in()
            expect(page.locator("#state .headline")).to_have_text("Die Position ist bekannt")
            assert page.evaluate("document.documentElement.lang") == "de"
            expect(page).to_have_title("Position – locationd")
            visit.show("administration")
            expect(page.locator("#master-switch")).to_have_text("Ausschalten")
            page.locator("#language").select_option("en")
            expect(page.locator("#master-switch")).to_have_text("Switch it off")
            expect(page.locator("#state .headline")).to_have_text("The position is known")
            expect(page).to_have_title("Administration – locationd")
            left = page.evaluate("document.body.innerText").split("\n")
            assert not [line for line in left if re.fullmatch(r"[a-z]+(\.\w+)+", line)], left
        with Visit(bench.browser, machine, locale="fr-FR") as visit:
            expect(visit.sign_in().locator("#state .headline")).to_have_text("The position is known")


def everything_is_reached_by_keyboard(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="administration")
        expect(page.locator("#clients tr")).to_have_count(1)
        page.locator("body").evaluate("() => document.activeElement.blur()")
        wanted = page.evaluate(FOCUSABLE)
        reached = set()
        for _ in range(len(wanted) + 10):
            page.keyboard.press("Tab")
            focused = page.evaluate(FOCUSED)
            if focused is None:
                continue
            assert focused["outline"] != "none", f"the focus of {focused['name']} is not visible"
            reached.add(focused["name"])
        assert set(wanted) <= reached, set(wanted) - reached
        # The skip link is the first, and the keyboard chooses a view and answers a question.
        page.locator('nav a[href="#live"]').focus()
        page.keyboard.press("Enter")
        expect(page.locator("#live-title")).to_be_focused()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "map"
        visit.show("administration")
        page.locator("#master-switch").focus()
        page.keyboard.press("Enter")
        expect(page.locator("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        visit.expect_state("tracking")


#: What Tab has to reach, by its path in the document.
NAME = """const name = (node) => node.id || `${node.localName} ${node.getAttribute("aria-label") ?? node.textContent.trim()}`;"""
FOCUSABLE = f"""() => {{ {NAME}
    return [...document.querySelectorAll("a[href], button, select, input, [tabindex='0']")]
        .filter((node) => node.checkVisibility() && !node.disabled).map(name);
}}"""
FOCUSED = f"""() => {{ {NAME}
    const node = document.activeElement;
    return node === document.body ? null : {{ name: name(node), outline: getComputedStyle(node).outlineStyle }};
}}"""


def state_is_spoken_once_for_each_change(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        page.evaluate("""() => {
            window.spoken = [];
            new MutationObserver(() => window.spoken.push(document.querySelector("#state [role=status]").innerText))
                .observe(document.querySelector("#state [role=status]"), { subtree: true, childList: true, characterData: true });
        }""")
        before = page.locator("#coordinates-decimal output").inner_text()
        eventually("locations come", lambda: page.locator("#coordinates-decimal output").inner_text() != before)
        assert page.evaluate("window.spoken") == []
        machine.locctl("stop")
        visit.expect_state("disabled")
        assert "switched off" in page.evaluate("window.spoken").pop()


def first_view_is_small_and_waits_for_no_map(bench):
    """Small, and there as soon as the daemon has told the position, though the map's borders and names never come."""
    with bench.machine() as machine, Visit(bench.browser, machine) as keeps_the_receiver_on:
        keeps_the_receiver_on.sign_in()
        with Visit(bench.browser, machine) as visit:
            session = visit.context.new_cdp_session(visit.page)
            session.send("Network.enable")
            sizes, held, live = [], [], set()
            # How many updates there are by then depends on the machine.
            session.on("Network.requestWillBeSent", lambda event: event["request"]["url"].endswith("/live") and live.add(event["requestId"]))
            session.on("Network.dataReceived", lambda event: event["requestId"] in live or sizes.append(event["dataLength"]))
            visit.page.route("**/base/**", lambda route: held.append(route))
            begin = time.monotonic()
            visit.page.goto(machine.link())
            visit.page.locator("#map .position").wait_for()
            # Told, and not judged: how fast it is depends on the machine.
            duration = time.monotonic() - begin
            eventually("the page asks for its map", lambda: visit.page.wait_for_timeout(50) or held)
            size = sum(sizes)
            assert size < BUDGET, size
            for route in held:
                route.continue_()
        return f"{size / 1024:.0f} KiB, {duration:.2f} s"


CHECKS = [axe_finds_no_violation, nothing_is_cut_on_narrow_screens, texts_are_there_in_both_languages, everything_is_reached_by_keyboard,
          state_is_spoken_once_for_each_change, first_view_is_small_and_waits_for_no_map]
