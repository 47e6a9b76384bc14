"""What the page says for each state of the service: its sentence, its tone and whose reason it shows."""

from browser import Visit
from machine import TOWER

DESCRIBE = """async (cases) => {
    const { describeState } = await import("/state.js");
    return cases.map((feed) => {
        const { name, tone, reason, mayAsk } = describeState(feed, { uid: 1000 });
        return [name, tone, reason ?? null, mayAsk ?? false];
    });
}"""


def of(source, **status):
    """A page that has heard from the daemon."""
    return {"connection": "live", "status": {"enabled": True, "authorization": "authorizedAlways", "source": source} | status}


SKY = {"satellitesVisible": 7, "satellitesUsed": 0}
STATES = [
    ({"connection": "connecting"}, ["connecting", "wait", None, False]),
    ({"connection": "live"}, ["connecting", "wait", None, False]),
    ({"connection": "disconnected"}, ["disconnected", "bad", None, False]),
    ({"connection": "outage", "outageReason": "it was killed"}, ["outage", "bad", "it was killed", False]),
    (of("stopped", enabled=False, authorization="denied", reason="off"), ["disabled", "bad", None, False]),
    (of("stopped", authorization="restricted", reason="a rule"), ["restricted", "bad", "a rule", False]),
    (of("stopped", authorization="denied", reason="an administrator"), ["denied", "bad", "an administrator", False]),
    (of("stopped", authorization="notDetermined", authorizationPending=False), ["notDetermined", "bad", None, True]),
    (of("stopped", authorization="notDetermined", authorizationPending=True), ["pending", "wait", None, False]),
    (of("stopped"), ["stopped", "wait", None, False]),
    (of("starting"), ["starting", "wait", None, False]),
    (of("searching"), ["searching", "wait", None, False]),
    (of("searching", **SKY), ["searchingSky", "wait", None, False]),
    (of("tracking", **SKY), ["tracking", "good", None, False]),
    (of("lost", reason="no fix"), ["lost", "bad", "no fix", False]),
    (of("lost", reason="no fix", **SKY), ["lostSky", "bad", "no fix", False]),
    (of("unavailable", reason="no gpsd"), ["unavailable", "bad", "no gpsd", False]),
    (of("of a later version"), ["unknownSource", "wait", None, False]),
]


def each_state_has_its_sentence(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        described = visit.sign_in().evaluate(DESCRIBE, [feed for feed, _ in STATES])
        for (feed, expected), written in zip(STATES, described, strict=True):
            assert written == expected, (feed, written)
        return f"{len(STATES)} states"


CHECKS = [each_state_has_its_sentence]
