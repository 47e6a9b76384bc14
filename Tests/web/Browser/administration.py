"""The administrator's page: connections, sources, the master switch, the history."""

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, DRIVE, PATIENCE, TOWER


def connection_is_ended(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        client = machine.client(ANNA, "Watch", {"purpose": "follows me"})
        page = visit.sign_in(view="administration")
        row = page.locator("#clients tr", has_text="follows me")
        expect(row).to_contain_text(f"uid:{ANNA}")
        expect(row).to_contain_text(str(client.pid))
        row.get_by_role("button").click()
        visit.confirm("no")
        assert client.poll() is None
        row.get_by_role("button").click()
        visit.confirm("yes")
        expect(row).to_have_count(0)
        client.wait(PATIENCE)


def master_switch_asks_and_works(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="administration")
        switch = page.locator("#master-switch")
        expect(switch).to_have_text("Switch it off")
        switch.click()
        visit.screenshot(bench.screenshots, "question")
        visit.confirm("no")
        visit.expect_state("tracking")
        switch.click()
        visit.confirm("yes")
        visit.expect_state("disabled")
        expect(page.locator("#master-state")).to_contain_text("off")
        expect(switch).to_have_text("Switch it on")
        switch.click()
        visit.expect_state("tracking")
        expect(switch).to_have_text("Switch it off")


def source_is_switched(bench):
    with bench.machine(sources=DRIVE + TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="administration")
        switch = page.get_by_role("switch", name="Source drive")
        expect(switch).to_have_attribute("aria-checked", "true")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "false")
        visit.show("live")
        expect(page.locator("#marks")).to_have_text("Fixed position, not measured")
        visit.show("administration")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "true")
        visit.show("live")
        expect(page.locator("#marks")).to_have_text("Simulated")


def configuration_is_read_again(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="administration")
        reload, said = page.get_by_role("button", name="Read the configuration again"), page.locator("#reloaded")
        reload.click()
        expect(said).to_have_text("Nothing has changed.")
        machine.write("locationd.toml", f'[service]\nlog-level = "notice"\n[delivery]\nlinger = "long"\n{DRIVE}')
        reload.click()
        notice = page.locator("#notice")
        expect(notice).to_contain_text("The configuration has a mistake, and nothing has changed")
        expect(notice).to_contain_text("delivery.linger")
        expect(said).to_have_text("")
        machine.write("locationd.toml", f'[service]\nlog-level = "notice"\n[delivery]\nlinger = 7\n{DRIVE}')
        reload.click()
        expect(said).to_contain_text("delivery.linger")
        expect(notice).to_be_hidden()
        visit.screenshot(bench.screenshots, "reload")


def refresh_takes_the_focus_from_nobody(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in(view="administration")
        row = page.locator("#clients tr", has_text="Watch: web page")
        button = row.get_by_role("button")
        button.focus()
        sent = row.locator("td").nth(3).inner_text()
        expect(row.locator("td").nth(3)).not_to_have_text(sent)
        expect(button).to_be_focused()
        expect(page.locator("#history tr").first).to_contain_text("received a location")
        visit.screenshot(bench.screenshots, "administration")


def nobody_else_administers(bench):
    with bench.machine() as machine, Visit(bench.browser, machine, uid=ANNA) as visit:
        page = visit.sign_in(state="notDetermined")
        page.evaluate("location.hash = '#administration'")
        expect(page.locator("#live")).to_be_visible()
        expect(page.locator("#administration")).to_be_hidden()
        status = page.evaluate("""async () => (await fetch("/call/org.locationd.admin.ListClients", {
            method: "POST", headers: { "content-type": "application/json", "X-Locationd": "1" }, body: "{}" })).status""")
        assert status == 403, status


CHECKS = [connection_is_ended, master_switch_asks_and_works, source_is_switched, configuration_is_read_again,
          refresh_takes_the_focus_from_nobody,
          nobody_else_administers]
