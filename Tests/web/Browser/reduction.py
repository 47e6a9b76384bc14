"""What a page shows of before, once its person may know the position only roughly."""

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA


def satellites_are_taken_back_at_once(bench):
    with bench.machine() as machine, Visit(bench.browser, machine, uid=ANNA) as visit:
        machine.locctl("authorize", f"uid:{ANNA}")
        page = visit.sign_in(view="sky")
        rows = page.locator("#satellites tr")
        expect(rows.first).to_be_visible()
        page.evaluate("import('/feed.js').then(({ feed }) => { window.feed = feed; })")
        machine.locctl("authorize", f"uid:{ANNA}", "--reduced")
        expect(page.locator("#state .remarks")).to_contain_text("roughly")
        # At once, and not when the view of the sky has grown old.
        assert page.evaluate("feed.satellites === undefined && feed.heading === undefined")
        expect(rows).to_have_count(0)


CHECKS = [satellites_are_taken_back_at_once]
