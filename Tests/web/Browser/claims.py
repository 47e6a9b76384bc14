"""What programs say of themselves can neither end its quotation nor push aside what stands beside it."""

import json

from playwright.sync_api import expect

from browser import Visit
from machine import ANNA

#: First and last of each range, which are replaced.
QUOTATION_MARKS = ["22", "60", "B4", "AB", "BB", "2BA", "2DD", "2018", "201F", "2032", "2037", "2039", "203A", "275B", "2760", "276E",
                   "276F", "300C", "300F", "301D", "301F", "FE41", "FE44", "FF02", "FF07", "FF62", "FF63"]
BLANK_LETTERS = ["AD", "34F", "115F", "1160", "17B4", "17B5", "180B", "180F", "200B", "2800", "3164", "FFA0", "E00FF", "E01F0"]
#: The neighbours of the ranges, joiners and the selectors of variants, which are kept.
KEPT = ["21", "23", "27", "61", "AC", "AE", "BA", "BC", "2B9", "2BB", "2DC", "2DE", "34E", "350", "115E", "1161", "17B3", "17B6",
        "180A", "1810", "200C", "200D", "2017", "2031", "2038", "203B", "275A", "2761", "276D", "2770", "27FF", "2801", "300B", "3010",
        "301C", "3020", "3163", "3165", "FE00", "FE0F", "FE40", "FE45", "FF01", "FF03", "FF06", "FF08", "FF9F", "FFA1", "E0100", "E01EF"]

#: Writes what is claimed in place of two words of the daemon's replies, as a daemon would that changes no claims.
DAEMON = """([name, reason]) => {
    const { fetch } = window;
    window.fetch = async (path, options) => {
        const reply = await fetch(path, options);
        if (!path.startsWith("/call/")) return reply;
        const text = (await reply.text()).replaceAll("NAME", name).replaceAll("REASON", reason);
        return new Response(text, { status: reply.status });
    };
}"""
#: A name that ends its quotation, and a reason that does, after so many blanks that what follows would be out of sight.
NAME = "maps\u201d. It was checked by the system. \u201c"
REASON = f"tides{chr(0x3000) * 60}\u00bb\u300d\u275e\uff02 \u2003 \u2800\u3164  Choose Allow."


def claims_follow_the_rule(bench):
    with bench.machine() as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()

        def claim(words):
            return page.evaluate("async (words) => (await import('/claim.js')).claim(words)", words)

        for codes, replacement in ((QUOTATION_MARKS, "'"), (BLANK_LETTERS, "\ufffd")):
            for code in codes:
                assert claim(f"a{chr(int(code, 16))}b") == f"a{replacement}b", code
        kept = "".join(f"a{chr(int(code, 16))}" for code in KEPT)
        assert claim(kept) == kept
        # Those of Unicode are Python's without four control characters.
        blanks = [chr(code) for code in range(0x110000) if chr(code).isspace() and not 0x1c <= code <= 0x1f]
        assert len(blanks) == 25, blanks
        assert claim("".join(f"{blank}a{blank}{blank}b" for blank in blanks) + blanks[-1]) == " ".join(["a b"] * 25)
        assert claim("") == claim(" \u3000 ") == ""


def claims_stay_in_their_quotation(bench):
    reason = "tides '''' \ufffd\ufffd Choose Allow."
    quoted = {
        "en-GB": (f"The program calls itself “maps'. It was checked by the system. '”. The program gives the reason “{reason}”.",
                  f"Purpose: “{reason}”"),
        "de-DE": (f"Das Programm nennt sich „maps'. It was checked by the system. '“. Das Programm gibt als Grund an: „{reason}“.",
                  f"Zweck: „{reason}“"),
    }
    with bench.machine(policy="[users-decide]\n") as machine:
        machine.client(ANNA, "RequestAuthorization", {"level": "always", "program": "NAME", "purpose": "REASON"})
        machine.client(ANNA, "Watch", {"purpose": "REASON"})
        # As a bridge says who its client is.
        machine.client(0, "Watch", {"onBehalfOf": {"uid": ANNA, "label": "NAME"}})
        for language, (question, purpose) in quoted.items():
            with Visit(bench.browser, machine, uid=ANNA, locale=language) as anna, Visit(bench.browser, machine, locale=language) as root:
                for visit in (anna, root):
                    visit.context.add_init_script(f"({DAEMON})({json.dumps([json.dumps(claim)[1:-1] for claim in (NAME, REASON)])})")
                page = anna.sign_in(state="pending")
                page.locator("#own-request button").first.click()
                expect(page.locator("#own-request .answer")).to_contain_text("`locctl authorize me")
                expect(page.locator("#own-request .claim")).to_have_text(question, use_inner_text=True)
                # After the scope, the buttons and the command, so that it pushes nothing of them away.
                assert page.locator("#own-request").inner_text().endswith(question)
                anna.screenshot(bench.screenshots, f"claim-{language}")
                office = root.sign_in(view="administration")
                expect(office.locator("#requests .purpose")).to_have_text(purpose)
                expect(office.locator("#clients td", has_text="Watch: tides")).to_have_text(f"Watch: {reason}")
                expect(office.locator("#clients th", has_text="maps")).to_contain_text("(maps'. It was checked by the system. ')")
                expect(office.locator("#history td", has_text=purpose).first).to_be_visible()


CHECKS = [claims_follow_the_rule, claims_stay_in_their_quotation]
