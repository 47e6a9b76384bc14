"""What can be read afterwards."""

import json

from scene import expect


#: Numbers of events in the journal, as the manual lists them.
EVENTS = {
    "the service listens": "5901fe53d97942a492ad105e7ac286a7",
    "the service ends": "5305d91235ec4e498f4a03a81bfd3648",
    "the configuration is read again": "eff0e3d65825413995b3b4354b090d1a",
    "a new configuration is refused": "ba681d782dd648cfab1aefce41f76ca9",
    "a source changes": "5521f5c641a84cc2a853f01eb15ef161",
    "a user may know": "f689fef1aff749f0ad41296b02209a56",
    "a user got the first location of the day": "1f6b55b86f214ebd9e87ea93adbb7878",
}


def events_are_in_the_journal_with_fields(scene):
    for event, identifier in EVENTS.items():
        found = scene.machine.run("journalctl", "--output=json", f"MESSAGE_ID={identifier}",
                                  "_SYSTEMD_UNIT=locationd.service")
        records = [json.loads(line) for line in found.splitlines()]
        expect(records, f"the journal finds by its number that {event}")
        for record in records:
            expect(record["SYSLOG_IDENTIFIER"] == "locationd" and record["_TRANSPORT"] == "journal",
                   f"it is the daemon's own record: {record}")
    first = scene.machine.run("journalctl", "--output=json", "LOCATIOND_PRINCIPAL=uid:1000",
                              f"MESSAGE_ID={EVENTS['a user got the first location of the day']}")
    expect(len(first.splitlines()) >= 1, "records are found by the principal")


def nothing_failed(scene):
    failed = scene.machine.run("systemctl", "--failed", "--plain", "--no-legend")
    expect(failed == "", "no unit failed: " + failed)
    deaths = scene.machine.attempt("journalctl", "--unit=locationd.service", "--grep=status=31/SYS").stdout
    expect("SYS" not in deaths, "no refused system call killed the daemon:\n" + deaths)
