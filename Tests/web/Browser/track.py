"""The track of a day and of a trip."""

import json
import re
import xml.etree.ElementTree as ElementTree

from playwright.sync_api import expect

from browser import Visit
from machine import eventually

GPX = "{http://www.topografix.com/GPX/1/1}"


def track_of_today_is_shown_and_downloaded(bench):
    with bench.machine(history=True) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="track")
        summary = page.locator("#track-summary")
        expect(summary).to_have_text("Nothing is recorded of this time.")
        simulated = page.locator("#track-simulated")

        def count():
            simulated.uncheck()
            expect(summary).to_have_text("Nothing is recorded of this time.")
            simulated.check()
            expect(page.locator("#track-busy")).to_be_hidden()
            found = re.match(r"(\d+) points", summary.inner_text())
            return found and int(found[1]) >= 3

        eventually("a drive is recorded", count)
        expect(page.locator("path.track")).to_be_visible()
        for name in ("speed", "altitude"):
            chart = page.locator(f"#chart-{name}")
            expect(chart.locator("figcaption")).to_contain_text(" to ")
            assert chart.locator("polyline").get_attribute("points").count(",") >= 3
        visit.screenshot(bench.screenshots, "track")
        with page.expect_download() as download:
            page.locator("#track-gpx").click()
        points = ElementTree.parse(download.value.path()).getroot().findall(f".//{GPX}trkpt")
        assert len(points) >= 3, len(points)
        assert 52 < float(points[0].get("lat")) < 53, points[0].attrib

        page.reload()
        visit.show("track")
        trip = page.locator("#trips button").nth(1)
        eventually("the day's trip is listed", lambda: trip.count() == 1)
        trip.click()
        expect(page.locator("#trips button").nth(1)).to_have_attribute("aria-pressed", "true")
        simulated.check()
        expect(summary).to_contain_text("points from")
        # A day without a track.
        page.locator("#track-day").fill("2020-02-29")
        expect(summary).to_have_text("Nothing is recorded of this time.")
        expect(page.locator("#track-gpx")).to_be_hidden()
        expect(page.locator("#chart-speed")).to_be_hidden()


def recording_is_paused_and_resumed(bench):
    with bench.machine(history=True) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="track")
        button = page.locator("#track-pause")
        button.click()
        expect(page.locator("#track-recording")).to_contain_text("Paused since")
        expect(button).to_have_text("Resume the recording")
        state = machine.locctl("track", "status", "--history-socket", f"{machine.directory}/history.sock", "--json").stdout
        assert "pausedSince" in json.dumps(json.loads(state)), state
        button.click()
        expect(button).to_have_text("Pause the recording")


def track_that_nobody_records_is_no_failure(bench):
    with bench.machine() as machine, Visit(bench.browser, machine, width=390) as visit:
        page = visit.sign_in(view="track")
        absent, notice, day = (page.locator(f"#{name}") for name in ("track-absent", "notice", "track-day"))
        expect(absent).to_contain_text("locationd-history does not run")
        expect(absent).to_contain_text("`sudo systemctl enable --now locationd-history`")
        expect(notice).to_be_hidden()
        expect(day).to_be_hidden()
        visit.screenshot(bench.screenshots, "track-absent")
        # The service may be installed while the page is open.
        machine.start_history()
        visit.show("live")
        visit.show("track")
        expect(day).to_be_visible()
        expect(page.locator("#track-recording")).not_to_be_empty()
        expect(absent).to_be_hidden()
        # One that ends meanwhile has failed.
        machine.kill("locationd-history")
        day.fill("2020-02-29")
        expect(notice).to_contain_text(f"locationd-history does not answer at {machine.directory}/history.sock")
        close = notice.get_by_role("button")
        assert close.evaluate(LINES) == 1, "the label of a button is one line"
        close.click()
        expect(notice).to_be_hidden()


#: Lines of an element's text.
LINES = """(node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}"""

CHECKS = [track_of_today_is_shown_and_downloaded, recording_is_paused_and_resumed, track_that_nobody_records_is_no_failure]
