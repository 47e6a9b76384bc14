""""I am here": the access points received are remembered at a place that an administrator shows on the map."""

import json
import re

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, TOWER, eventually

RECEIVED = {"accessPoints": [{"bssid": f"00:1a:00:00:0{device}:00", "signal": -60, "ssid": "home"} for device in (1, 2, 3)]}


def receive(machine):
    with open(machine.directory / "observations", "a") as observations:
        observations.write(json.dumps(RECEIVED) + "\n")


def place_is_stated_on_the_map(bench):
    with bench.machine(sources=TOWER, nearby=True) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        here = page.locator("#here")
        here.click()
        expect(page.locator("#stating")).to_be_visible()
        receive(machine)
        page.locator("#stating [name=middle]").click()
        question = page.locator("dialog")
        expect(question).to_contain_text("access points")
        latitude, longitude = map(float, re.search(r"(-?\d+\.\d{6}), (-?\d+\.\d{6})", question.inner_text()).groups())
        visit.screenshot(bench.screenshots, "nearby")
        visit.confirm("no")
        assert state(machine)["accessPoints"] == 0, "nothing is remembered by a question"
        page.locator("#stating [name=middle]").click()
        receive(machine)
        visit.confirm("yes")
        expect(page.locator("#learned")).to_have_text("Access points remembered here: 3; not known before: 3")
        expect(page.locator("#stating")).to_be_hidden()
        expect(here).to_be_focused()
        assert state(machine)["accessPoints"] == 3
        # The map's middle is the Eiffel tower.
        assert abs(latitude - 48.8584) < 0.01 and abs(longitude - 2.2945) < 0.01, (latitude, longitude)
        # A click says the same.
        here.click()
        receive(machine)
        page.locator("#map").click(position={"x": 120, "y": 120})
        visit.confirm("yes")
        expect(page.locator("#learned")).to_have_text("Access points remembered here: 3; not known before: 0")


def nobody_else_states_places(bench):
    with bench.machine(sources=TOWER, nearby=True) as machine, Visit(bench.browser, machine, uid=ANNA) as visit:
        page = visit.sign_in(state="notDetermined")
        expect(page.locator("#nearby")).to_be_hidden()
        status = page.evaluate("""async () => (await fetch("/call/org.locationd.nearby.Learn", {method: "POST",
            headers: {"content-type": "application/json", "X-Locationd": "1"}, body: '{"latitude": 1, "longitude": 1}'})).status""")
        assert status == 403, status
        # Nor can anybody do more there than learn.
        status = page.evaluate("""async () => (await fetch("/call/org.locationd.nearby.Forget", {method: "POST",
            headers: {"content-type": "application/json", "X-Locationd": "1"}, body: "{}"})).status""")
        assert status == 404, status


def without_the_service_there_is_no_such_choice(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#nearby")).to_be_hidden()
        receiver_of_nothing = page.evaluate("async () => (await (await fetch('/session')).json()).hasNearby")
        assert receiver_of_nothing is False


def state(machine):
    answer = machine.locctl("nearby", "--json", "--nearby-socket", f"{machine.directory}/nearby.sock").stdout
    return eventually("it answers", lambda: json.loads(answer)["state"])


CHECKS = [place_is_stated_on_the_map, nobody_else_states_places, without_the_service_there_is_no_such_choice]
