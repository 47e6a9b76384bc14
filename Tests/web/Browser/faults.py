"""What the page shows while something does not work, and afterwards."""

import json
import math
import re
import signal

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, DRIVE, TOWER, eventually

OLD = re.compile(r"(^|\s)old(\s|$)")
DAY = 86400


def lost_fix_grows_old_and_comes_back(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("body")).not_to_have_class(OLD)
        machine.locctl("source", "drive", "off")
        visit.expect_state("unavailable")
        expect(page.locator("body")).to_have_class(OLD)
        expect(page.locator(".position")).to_have_class(OLD)
        expect(page.locator("#marks")).to_contain_text("Old")
        age = page.locator("#age")
        first = age.inner_text()
        assert re.fullmatch(r"Last known position, \d+ s old", first), first
        eventually("the age counts up", lambda: age.inner_text() != first)
        visit.screenshot(bench.screenshots, "lost")
        machine.locctl("source", "drive", "on")
        visit.expect_state("tracking")
        expect(page.locator("body")).not_to_have_class(OLD)
        expect(page.locator("#marks")).to_have_text("Simulated")


def day_old_position_is_shown_as_old(bench):
    with bench.machine(sources=TOWER) as machine:
        machine.locctl("get")
        machine.kill("locationd", signal.SIGTERM)
        # As after a day without power: saved by another boot, and no receiver since. Version 1 of the file has no checksum.
        path = machine.directory / "state/state.json"
        state = json.loads(path.read_text())
        assert state["lastLocation"]["latitude"] == 48.8584, state
        del state["checksum"]
        path.write_text(json.dumps(state | {"version": 1, "bootID": "another", "ageWhenSaved": state["ageWhenSaved"] + DAY}))
        machine.write("locationd.toml", '[service]\nlog-level = "warning"\n[[sources]]\nkind = "gpsd"\nport = 1\n')
        machine.start_daemon()
        with Visit(bench.browser, machine) as visit:
            page = visit.sign_in(state="unavailable")
            expect(page.locator("#age")).to_have_text(re.compile(r"Last known position, 1 d( \d+ .*)? old"))
            expect(page.locator("#coordinates-decimal output")).to_have_text("48.858400, 2.294500")
            expect(page.locator("body")).to_have_class(OLD)
            expect(page.locator(".position")).to_have_class(OLD)
            expect(page.locator("#marks")).to_contain_text("Old")
            visit.screenshot(bench.screenshots, "day-old")
        # Who may not know the position is not shown an old one either.
        with Visit(bench.browser, machine, uid=ANNA) as visit:
            page = visit.sign_in(state="notDetermined")
            status = page.evaluate("""async () => (await fetch("/call/org.locationd.location.GetLocation", {
                method: "POST", headers: { "content-type": "application/json", "X-Locationd": "1" },
                body: '{"maximumAge":1000000,"passive":true}' })).status""")
            assert status == 403, status
            expect(page.locator(".position")).to_have_count(0)


def silent_daemon_lets_the_position_grow_old(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        visit.page.clock.install()
        page = visit.sign_in()
        expect(page.locator("#age")).to_contain_text("Measured")
        machine.processes["locationd"].send_signal(signal.SIGSTOP)
        try:
            expect(page.locator("body")).not_to_have_class(OLD)
            page.clock.fast_forward(10_000)
            expect(page.locator("body")).to_have_class(OLD)
            # Nobody has said that anything is wrong.
            visit.expect_state("tracking")
        finally:
            machine.processes["locationd"].send_signal(signal.SIGCONT)
        expect(page.locator("body")).not_to_have_class(OLD)


def daemon_that_starts_again_is_followed(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#age")).to_contain_text("Measured")
        machine.kill("locationd")
        visit.expect_state("outage")
        # Right away: what the page has is of before the outage.
        expect(page.locator("body")).to_have_class(OLD)
        expect(page.locator("#state .next")).to_contain_text("systemctl status locationd")
        decimal = page.locator("#coordinates-decimal output").inner_text()
        assert re.fullmatch(r"52\.\d{6}, 13\.\d{6}", decimal), decimal
        machine.start_daemon()
        visit.expect_state("tracking")
        expect(page.locator("body")).not_to_have_class(OLD)


def web_service_that_starts_again_wants_a_new_link(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        machine.kill("locationd-web")
        visit.expect_state("disconnected")
        expect(page.locator("body")).to_have_class(OLD)
        machine.start_web()
        expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()
        visit.sign_in()


def frozen_page_catches_up(bench):
    fast = DRIVE + "speed = 100\n"
    with bench.machine(sources=fast) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        expect(page.locator("#age")).to_contain_text("Measured")
        lifecycle = visit.context.new_cdp_session(page)
        lifecycle.send("Page.setWebLifecycleState", {"state": "frozen"})
        begin = position(machine)
        eventually("the machine is elsewhere", lambda: distance(position(machine), begin) > 50)
        lifecycle.send("Page.setWebLifecycleState", {"state": "active"})

        def is_elsewhere():
            latitude, longitude = page.locator("#coordinates-decimal output").inner_text().split(", ")
            return distance((float(latitude), float(longitude)), begin) > 50

        eventually("the page shows where the machine is now", is_elsewhere)
        expect(page.locator("body")).not_to_have_class(OLD)


def position(machine):
    told = json.loads(machine.locctl("get", "--json").stdout)
    return told["latitude"], told["longitude"]


def distance(one, other):
    """Metres, nearly."""
    north = (one[0] - other[0]) * 111_000
    east = (one[1] - other[1]) * 111_000 * math.cos(math.radians(one[0]))
    return math.hypot(north, east)


def ages_count_delays_and_both_clocks(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        for name, result in page.evaluate(AGES).items():
            assert abs(result["is"] - result["is to be"]) < 0.01, (name, result)


#: The pure part, with clocks that are set by hand.
AGES = """async () => {
    const { AgeKeeper } = await import("/age.js");
    const results = {};
    const run = (name, expected, steps) => {
        const now = { steady: 100, wall: 5000 };
        const keeper = new AgeKeeper({ steady: () => now.steady, wall: () => now.wall });
        results[name] = { "is to be": expected, is: steps(keeper, now) };
    };
    const fix = (sent, age = 0) => ({ monotonicTime: sent - age, age });
    run("the age at sending, and what passes", 7, (keeper, now) => {
        const stamp = keeper.stamp(fix(20, 2));
        now.steady += 5; now.wall += 5;
        return keeper.age(stamp);
    });
    run("a machine that slept", 3600, (keeper, now) => {
        const stamp = keeper.stamp(fix(20));
        now.steady += 1; now.wall += 3600;
        return keeper.age(stamp);
    });
    run("a wall clock that was set back", 4, (keeper, now) => {
        const stamp = keeper.stamp(fix(20));
        now.steady += 4; now.wall -= 100;
        return keeper.age(stamp);
    });
    run("a location that waited for a frozen page", 30, (keeper, now) => {
        keeper.stamp(fix(20));
        now.steady += 31; now.wall += 31;
        return keeper.age(keeper.stamp(fix(21)));
    });
    run("a daemon that was started anew", 0, (keeper, now) => {
        keeper.stamp(fix(2000));
        now.steady += 10; now.wall += 10;
        keeper.restart();
        return keeper.age(keeper.stamp(fix(5)));
    });
    run("clocks that drift by 50 millionths, over a day", 0, (keeper, now) => {
        let stamp;
        for (let second = 0; second < 86400; second += 10) {
            now.steady += 10 * 1.00005; now.wall += 10;
            stamp = keeper.stamp(fix(20 + second));
        }
        return keeper.age(stamp);
    });
    return results;
}"""

CHECKS = [lost_fix_grows_old_and_comes_back, day_old_position_is_shown_as_old, silent_daemon_lets_the_position_grow_old,
          daemon_that_starts_again_is_followed, web_service_that_starts_again_wants_a_new_link, frozen_page_catches_up,
          ages_count_delays_and_both_clocks]
