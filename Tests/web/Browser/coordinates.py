"""The notations of coordinates, beside the values of programs that are not ours.

In coordinates.json, eastings and northings are PROJ's (pyproj 3.7.2), MGRS is GEOTRANS' (mgrs 1.6.0), and the locators are of
the package maidenhead 1.8.0.
"""

import json
import pathlib

from browser import Visit
from machine import TOWER

EXAMPLES = json.loads((pathlib.Path(__file__).parent / "coordinates.json").read_text())

FORMAT = """async (examples) => {
    const { formatDecimal, formatDMS, formatMaidenhead } = await import("/coordinates.js");
    const { formatUTM, formatMGRS } = await import("/utm.js");
    return examples.map(({ latitude, longitude }) => Object.fromEntries(Object.entries(
        { formatDecimal, formatDMS, formatMaidenhead, formatUTM, formatMGRS })
        .map(([name, format]) => [name, format(latitude, longitude)])));
}"""

#: Where a rounded second carries, and where a sign must not stay.
EDGES = [
    ((10.9999999, -0.00000001), "formatDMS", "11° 00′ 00.00″ N, 0° 00′ 00.00″ E"),
    ((59.9999, 0.9999999), "formatDMS", "59° 59′ 59.64″ N, 1° 00′ 00.00″ E"),
    ((-0.0000001, -0.0000001), "formatDecimal", "0.000000, 0.000000"),
    ((-33.8568, 151.2153), "formatDecimal", "-33.856800, 151.215300"),
    ((90, 180), "formatMaidenhead", "AR09ax09"),
    ((-90, -180), "formatMaidenhead", "AA00aa00"),
    ((90, 0), "formatUTM", "Z 2000000 E 2000000 N"),
    ((90, 0), "formatMGRS", "Z AH 00000 00000"),
    ((-90, 0), "formatMGRS", "B AN 00000 00000"),
    ((-1e-9, 3), "formatMGRS", "31M EV 00000 99999"),
]


def notations_agree_with_other_programs(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        page = visit.sign_in()
        for example, written in zip(EXAMPLES, page.evaluate(FORMAT, EXAMPLES), strict=True):
            zone, easting, _, northing, _ = written["formatUTM"].split(" ")
            # A number is cut off below the metre, so that two programs may differ by one.
            assert abs(int(easting) + 0.5 - example["easting"]) < 0.51, (example, written)
            assert abs(int(northing) + 0.5 - example["northing"]) < 0.51, (example, written)
            assert written["formatMGRS"].replace(" ", "") == example["mgrs"], (example, written)
            assert example["mgrs"].startswith(zone), (example, written)
            if "maidenhead" in example:
                assert written["formatMaidenhead"] == example["maidenhead"], (example, written)
        positions = [{"latitude": latitude, "longitude": longitude} for (latitude, longitude), _, _ in EDGES]
        for (position, name, text), written in zip(EDGES, page.evaluate(FORMAT, positions), strict=True):
            assert written[name] == text, (position, name, written[name])
        return f"{len(EXAMPLES)} positions"


CHECKS = [notations_agree_with_other_programs]
