"""The way that the page draws behind the position."""

import os
import pathlib
import tempfile

from playwright.sync_api import expect

from browser import Visit
from machine import eventually

#: At 16.5° south, some eighty metres from each to the next.
LONGITUDES = ["179.9990", "179.9998", "-179.9998", "-179.9990"]


def way_over_the_antimeridian_is_short(bench):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder, "place")
        put(place, LONGITUDES[0])
        source = f'[[sources]]\nkind = "static-file"\nfile = "{place}"\n'
        with bench.machine(sources=source) as machine, Visit(bench.browser, machine) as visit:
            page = visit.sign_in()
            shown = page.locator("#coordinates-decimal output")
            for longitude in LONGITUDES:
                put(place, longitude)
                expect(shown).to_have_text(f"-16.500000, {longitude}00")
            # A line around the world would reach to the edge of the map. A pixel is 3 m.
            trail = page.locator("path.trail")
            eventually("the trail goes on", lambda: trail.evaluate("(path) => path.getTotalLength()") > 5)
            assert trail.evaluate("(path) => path.getTotalLength()") < 100


def put(place, longitude):
    """Writes the position as a whole."""
    new = place.with_suffix(".new")
    new.write_text(f"-16.5\n{longitude}\n10\n5\n", encoding="ascii")
    os.replace(new, place)


CHECKS = [way_over_the_antimeridian_is_short]
