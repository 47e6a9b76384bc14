"""The map's files, against RFC 7946 and against GeoNames, which knows of each place in which country it is.

    map.py FOLDER PLACES

FOLDER has the files that geodata/map.py makes, PLACES is the places database. Exit status: 0 if all hold, 1 if one does not.
"""

import collections
import gzip
import json
import math
import pathlib
import sqlite3
import sys
import traceback

from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union
from shapely.prepared import prep

folder, database = pathlib.Path(sys.argv[1]), sys.argv[2]
NAMES = ("world", "detailed", "places")
BUDGET = 2_000_000
#: People of the places that are looked for: those that are known best.
POPULATION = 100_000
#: Degrees from a border that decide nothing: as far as a line may be from where it is, and more than a gap of one.
NEAR = {"world": 0.06, "detailed": 0.03}
#: Which of two cities are in one country, and which are not.
TOGETHER = [("Berlin", "Munich"), ("Aachen", "Köln"), ("San Diego", "Phoenix"), ("Lille", "Strasbourg"), ("Delhi", "Amritsar"),
            ("Geneva", "Zürich"), ("Johannesburg", "Cape Town")]
APART = [("Aachen", "Liège"), ("San Diego", "Tijuana"), ("Lahore", "Amritsar"), ("Brazzaville", "Kinshasa"), ("Vienna", "Bratislava"),
         ("Geneva", "Lyon"), ("Johannesburg", "Maputo")]


def load(name):
    return json.loads(gzip.decompress((folder / f"{name}.geojson.gz").read_bytes()))["features"]


def parts(features, kind):
    return [part for feature in features if feature["properties"]["kind"] == kind for part in feature["geometry"]["coordinates"]]


def files_are_small():
    size = sum((folder / f"{name}.geojson.gz").stat().st_size for name in NAMES)
    assert size <= BUDGET, size
    return f"{size / 1e6:.2f} MB"


def files_are_valid_geojson():
    for name in NAMES:
        document = json.loads(gzip.decompress((folder / f"{name}.geojson.gz").read_bytes()))
        assert document.keys() == {"type", "features"} and document["type"] == "FeatureCollection", name
        for feature in document["features"]:
            assert feature["type"] == "Feature" and feature.keys() == {"type", "properties", "geometry"}
            check(feature["geometry"])


def check(geometry):
    kind, coordinates = geometry["type"], geometry["coordinates"]
    assert kind in ("Point", "MultiLineString", "MultiPolygon"), kind
    for line in [[coordinates]] if kind == "Point" else coordinates if kind == "MultiLineString" else []:
        assert kind == "Point" or len(line) >= 2
        assert all(map(is_position, line)), line
    for polygon in coordinates if kind == "MultiPolygon" else []:
        for index, ring in enumerate(polygon):
            assert len(ring) >= 4 and ring[0] == ring[-1] and all(map(is_position, ring)), ring[:5]
            assert Polygon(ring).exterior.is_ccw == (index == 0), ring[:5]


def is_position(point):
    return len(point) == 2 and -180 <= point[0] <= 180 and -90 <= point[1] <= 90


def borders_divide_places_by_country():
    """The areas between coasts and borders have the places of one country each."""
    remarks = []
    for name, least in (("world", 0.99), ("detailed", 0.995)):
        areas = Areas(load(name), NEAR[name])
        countries, listed = collections.defaultdict(collections.Counter), places()
        for place in listed:
            area = areas.find(place)
            if area is not None:
                countries[area][place["country"]] += 1
        found = sum(counter.total() for counter in countries.values())
        share = sum(counter.most_common(1)[0][1] for counter in countries.values()) / found
        # Ports may be in the water, and cities at a border, by less than the map is exact.
        assert found >= 0.9 * len(listed), (name, found, len(listed))
        assert share >= least, (name, share, [counter for counter in countries.values() if len(counter) > 1])
        # Many areas with one place each would say nothing.
        assert len(countries) < 0.2 * found, (name, len(countries))
        remarks.append(f"{name}: {share:.2%} of {found} of {len(listed)}")
    return "; ".join(remarks)


def known_cities_are_together_or_apart():
    areas = Areas(load("detailed"), NEAR["detailed"])
    by_name = {place["name"]: place for place in reversed(places(0))}
    for pairs, is_together in ((TOGETHER, True), (APART, False)):
        for one, other in pairs:
            found = [areas.find(by_name[name]) for name in (one, other)]
            assert None not in found, (one, other, found)
            assert (found[0] == found[1]) == is_together, (one, other)


class Areas:
    """What is left of the land without a strip of `near` degrees along each border, which closes its gaps."""

    def __init__(self, features, near):
        borders = unary_union([LineString(line) for line in parts(features, "country")]).buffer(near)
        land = unary_union([Polygon(polygon[0], polygon[1:]).buffer(0) for polygon in parts(features, "land")])
        self.areas = [prep(area) for area in land.difference(borders).geoms]
        self.boxes = [area.context.bounds for area in self.areas]

    def find(self, place):
        x, y = place["longitude"], place["latitude"]
        return next((number for number, (west, south, east, north) in enumerate(self.boxes)
                     if west <= x <= east and south <= y <= north and self.areas[number].contains(Point(x, y))), None)


def places(least=POPULATION):
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    query = ("SELECT name, country, south / 1e5 AS latitude, west / 1e5 AS longitude FROM places WHERE population >= ? "
             "ORDER BY population DESC")
    connection.row_factory = sqlite3.Row
    return connection.execute(query, (least,)).fetchall()


def names_have_room():
    """No two names of a zoom are nearer than a line, by the places alone."""
    features = load("places")
    assert 2000 <= len(features) <= 8000, len(features)
    assert {"Berlin", "Tokyo", "Nairobi", "New York City"} <= {feature["properties"]["name"] for feature in features}
    for zoom in range(2, 9):
        shown = [feature for feature in features if feature["properties"]["zoom"] <= zoom]
        cells = collections.defaultdict(list)
        for feature in shown:
            longitude, latitude = feature["geometry"]["coordinates"]
            size = 256 * 2 ** zoom
            x = size * (longitude + 180) / 360
            y = size * (0.5 - math.log(math.tan(math.pi / 4 + math.radians(latitude) / 2)) / (2 * math.pi))
            cells[x // 200, y // 200].append((x, y))
        assert len(shown) > 20 and max(map(len, cells.values())) <= 20, zoom
        for points in cells.values():
            assert all(abs(one[0] - other[0]) > 18 or abs(one[1] - other[1]) > 18
                       for number, one in enumerate(points) for other in points[:number]), zoom


CHECKS = [files_are_small, files_are_valid_geojson, borders_divide_places_by_country, known_cities_are_together_or_apart,
          names_have_room]

failed = 0
for each in CHECKS:
    try:
        remark = each()
        print(f"ok     {each.__name__}{': ' + remark if remark else ''}", flush=True)
    except Exception:
        failed += 1
        print(f"FAILED {each.__name__}\n{traceback.format_exc()}", flush=True)
sys.exit(1 if failed else 0)
