"""How somebody gets the permission to know the position, with two users and an administrator."""

import json

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA, BORIS


def request_is_decided_on_the_page(bench):
    with bench.machine() as machine, Visit(bench.browser, machine, uid=ANNA) as anna, Visit(bench.browser, machine) as root:
        page = anna.sign_in(state="notDetermined")
        expect(page.locator("#administration-link")).to_be_hidden()
        expect(page.locator(".position")).to_have_count(0)
        page.locator("#ask").click()
        anna.expect_state("pending")
        expect(page.locator("#state .next")).to_contain_text(f"sudo locctl authorize uid:{ANNA}")
        expect(page.locator("#ask")).to_be_hidden()
        anna.screenshot(bench.screenshots, "pending")

        office = root.sign_in()
        expect(office.locator("#request-count")).to_have_text("1 waiting")
        root.show("administration")
        card = office.locator("#requests li")
        expect(card).to_have_count(1)
        expect(card).to_contain_text(f"uid:{ANNA}")
        expect(card).to_contain_text("Page for people")
        root.screenshot(bench.screenshots, "request")
        card.get_by_role("button", name="Allow:").click()
        expect(card).to_have_count(0)
        expect(office.locator("#request-count")).to_be_hidden()

        anna.expect_state("tracking")
        expect(page.locator("#marks")).to_have_text("Simulated")
        expect(page.locator("#readings div", has_text="Altitude").locator("dd")).not_to_have_text("–")

        row = office.locator("#decisions tr", has_text=f"uid:{ANNA}")
        expect(row).to_contain_text("allowed, full accuracy")
        row.get_by_role("button", name="Allow roughly").click()
        expect(row).to_contain_text("roughly")
        expect(page.locator("#state .remarks")).to_contain_text("roughly")
        # What was known fully is not shown any more, here and on a page that is opened now.
        with Visit(bench.browser, machine, uid=ANNA) as later:
            for shown in (page, later.sign_in()):
                expect(shown.locator("#readings div", has_text="Altitude").locator("dd")).to_have_text("–")
                expect(shown.locator("#state .remarks")).to_contain_text("roughly")
        anna.screenshot(bench.screenshots, "roughly")
        row.get_by_role("button", name="Deny").click()
        expect(row).to_contain_text("denied")
        anna.expect_state("denied")
        # The position is taken back at once.
        expect(page.locator(".position")).to_have_count(0)
        expect(page.locator("#coordinates-decimal output")).to_have_text("–")
        row.get_by_role("button", name="Forget").click()
        root.confirm("no")
        expect(row).to_have_count(1)
        row.get_by_role("button", name="Forget").click()
        root.confirm("yes")
        expect(row).to_have_count(0)
        anna.expect_state("notDetermined")
        history = office.locator("#history")
        for word in ("requested", "allowed", "refused", "revoked", "reset"):
            expect(history).to_contain_text(word)


def request_of_a_program_is_allowed_roughly_or_denied(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as root:
        machine.client(ANNA, "RequestAuthorization", {"level": "always", "purpose": "shows the weather"})
        machine.client(BORIS, "RequestAuthorization", {"level": "whenInUse", "purpose": "finds a bus"})
        office = root.sign_in(view="administration")
        expect(office.locator("#request-count")).to_have_text("2 waiting")
        weather = office.locator("#requests li", has_text="shows the weather")
        bus = office.locator("#requests li", has_text="finds a bus")
        expect(bus).to_contain_text("while the user has a session")
        weather.get_by_role("button", name="Allow roughly").click()
        expect(weather).to_have_count(0)
        bus.get_by_role("button", name="Deny").click()
        expect(bus).to_have_count(0)
        expect(office.locator("#no-requests")).to_be_visible()
        decided = {item["principal"]: item for item in authorizations(machine)}
        assert decided[f"uid:{ANNA}"]["authorization"] == "authorizedAlways", decided
        assert decided[f"uid:{ANNA}"]["accuracy"] == "reduced", decided
        assert decided[f"uid:{BORIS}"]["authorization"] == "denied", decided
        # Who gives more than reduced accuracy is told what that costs.
        expect(weather.locator(".hint")).to_have_count(0)
        machine.client(ANNA, "RequestAuthorization", {"level": "always", "fullAccuracy": True, "purpose": "finds the berth"})
        berth = office.locator("#requests li", has_text="finds the berth")
        expect(berth.locator(".hint")).to_be_visible()
        expect(berth.locator(".hint")).to_contain_text("secret displacement")


def authorizations(machine):
    return json.loads(machine.locctl("authorizations", "--json").stdout)["authorizations"]


def program_in_one_process_may_be_allowed_until_it_ends(bench):
    with bench.machine(policy="[users-decide]\n") as machine, Visit(bench.browser, machine, uid=ANNA) as anna:
        page = anna.sign_in(state="notDetermined")
        program = machine.client(ANNA, "RequestAuthorization", {"level": "whenInUse", "program": "maps"})
        anna.expect_state("pending")
        page.locator("#own-request").get_by_role("button", name="Allow").click()
        answer = page.locator("#own-request .answer")
        expect(answer).to_contain_text(f"`locctl authorize me --this-time {program.pid}`")
        expect(answer).to_contain_text("`locctl authorize me --when-in-use`")


def who_decides_for_itself_answers_on_the_page(bench):
    policy = '[users-decide]\nlongest = 3600\n'
    with bench.machine(policy=policy) as machine, Visit(bench.browser, machine, uid=ANNA) as anna:
        page = anna.sign_in(state="notDetermined")
        question = page.locator("#own-request")
        expect(question).to_be_hidden()
        purpose = "<b>finds</b> a bus"
        machine.client(ANNA, "RequestAuthorization", {"level": "whenInUse", "purpose": purpose})
        anna.expect_state("pending")
        expect(question).to_be_visible()
        expect(question).to_contain_text(purpose)
        answer = question.locator(".answer")
        expect(answer).to_have_text("")
        # Polkit asks for a password, and a page has no process that it could judge: the page says where.
        question.get_by_role("button", name="Allow").click()
        expect(answer).to_contain_text("`locctl authorize me --when-in-use --for 3600s`")
        question.get_by_role("button", name="Only roughly").click()
        expect(answer).to_contain_text("`locctl authorize me --when-in-use --reduced --for 3600s`")
        anna.screenshot(bench.screenshots, "question")
        assert decide(page, "authorizedWhenInUse") == 422, "a page grants nothing"
        anna.expect_state("pending")
        question.get_by_role("button", name="Not now").click()
        expect(question).to_be_hidden()
        anna.expect_state("pending")
        # Another request is another question.
        machine.client(ANNA, "RequestAuthorization", {"level": "always", "purpose": "finds a train"})
        expect(question).to_contain_text("finds a train", timeout=20000)
        question.get_by_role("button", name="Never").click()
        anna.expect_state("denied")
        expect(question).to_be_hidden()
        decided = {item["principal"]: item for item in authorizations(machine)}[f"uid:{ANNA}"]
        assert decided["authorization"] == "denied" and decided["decidedBy"] == f"uid:{ANNA} (own programs)", decided


def who_may_decide_nothing_is_not_asked(bench):
    with bench.machine() as machine, Visit(bench.browser, machine, uid=ANNA) as anna:
        page = anna.sign_in(state="notDetermined")
        page.locator("#ask").click()
        anna.expect_state("pending")
        expect(page.locator("#state .next")).to_contain_text("sudo locctl authorize")
        expect(page.locator("#own-request")).to_be_hidden()
        assert decide(page, "denied") == 422, "the policy lets nobody decide"
        # Root's pages have nothing of root's rights in this.
        with Visit(bench.browser, machine) as root:
            assert decide(root.sign_in(), "denied") == 422
            assert not [item for item in authorizations(machine) if item["principal"] == "uid:0"]
        anna.expect_state("pending")


def own_programs_that_use_the_position_are_listed(bench):
    with bench.machine(policy='[[rules]]\nuser = %d\nauthorization = "authorizedAlways"\n' % ANNA) as machine, \
            Visit(bench.browser, machine, uid=ANNA) as anna, Visit(bench.browser, machine) as root:
        page = anna.sign_in()
        usage = page.locator("#usage")
        rows = usage.locator("tbody tr")
        expect(usage.locator("table")).to_be_hidden()
        claim = "<b>maps</b>\u202e\n\" now"
        machine.client(ANNA, "Watch", {"purpose": claim})
        # One press opens it and loads what it shows; another one closes it.
        usage.locator("summary").click()
        expect(rows).to_have_count(2)
        expect(usage).to_have_attribute("open", "")
        expect(rows.filter(has_text="<b>maps</b>\\u{202e}\\u{a}' now")).to_contain_text("since")
        page.locator("#language").select_option("de")
        expect(rows.filter(has_text="web page")).to_contain_text("genau")
        anna.screenshot(bench.screenshots, "usage")
        usage.locator("summary").click()
        expect(usage.locator("table")).to_be_hidden()
        # Root's page has root's programs alone, and no page those of all users.
        office = root.sign_in()
        office.locator("#usage summary").click()
        expect(office.locator("#usage tbody tr")).to_have_count(1)
        assert all_usage(office) == 422 and all_usage(page) == 422


def all_usage(page):
    """The status of the answer where a page's script asks for the programs of all users."""
    return page.evaluate("""async () => (await fetch("/call/org.locationd.location.WatchUsage", {
        method: "POST", headers: { "content-type": "application/json", "X-Locationd": "1" }, body: '{"all": true}' })).status""")


def decide(page, authorization):
    """The status of the answer to a decision that the page's script makes by itself."""
    return page.evaluate("""async (authorization) => (await fetch("/call/org.locationd.location.Decide", {
        method: "POST", headers: { "content-type": "application/json", "X-Locationd": "1" },
        body: JSON.stringify({ authorization }) })).status""", authorization)


CHECKS = [
    request_is_decided_on_the_page, who_decides_for_itself_answers_on_the_page, who_may_decide_nothing_is_not_asked,
    request_of_a_program_is_allowed_roughly_or_denied, program_in_one_process_may_be_allowed_until_it_ends,
    own_programs_that_use_the_position_are_listed,
]
