"""Where which time zone is: for each line of latitude the zones from west to east."""

import json
import math

import tzfpy

# Lines of latitude a degree. The polygons themselves are within 111 m, half the way between two lines is 217 m.
LINES = 256
# Steps of longitude a degree: a turn of the Earth is 2^24.
STEPS = (1 << 24) / 360


def zones():
    """The zones' names. The high seas' zones are left out, which follow from the longitude."""
    return sorted(name for name in tzfpy.timezonenames() if not name.startswith("Etc/"))


def crossings(names):
    """For each line, the (longitude, zone's number from 1) at which a zone begins or ends."""
    lines = [[] for _ in range(180 * LINES)]
    for number, name in enumerate(names, 1):
        for feature in json.loads(tzfpy.get_tz_polygon_geojson(name))["features"]:
            for polygon in feature["geometry"]["coordinates"]:
                for ring in polygon:
                    for (west, south), (east, north) in zip(ring, ring[1:]):
                        if south > north:
                            west, south, east, north = east, north, west, south
                        low, high = (south + 90) * LINES - 0.5, (north + 90) * LINES - 0.5
                        for line in range(max(0, math.ceil(low)), min(len(lines), math.ceil(high))):
                            lines[line].append((west + (line - low) / (high - low) * (east - west), number))
    return lines


def runs(line, small):
    """Where another zone begins, five bytes each: longitude (3, big endian, from -180) and zone (2, 0 the high seas).

    Where zones overlap, the smaller one is taken: its people keep its time.
    """
    inside, begun, packed = set(), 0, bytearray()
    steps = sorted((min(max(round((longitude + 180) * STEPS), 0), (1 << 24) - 1), zone) for longitude, zone in line)
    for index, (step, zone) in enumerate(steps):
        inside ^= {zone}
        if index + 1 < len(steps) and steps[index + 1][0] == step:
            continue
        now = min(inside, key=small.get, default=0)
        if now != begun:
            packed += step.to_bytes(3, "big") + now.to_bytes(2, "big")
            begun = now
    return bytes(packed)


def borders(names):
    """The numbered lines that are not all high seas, as `runs` packs them."""
    lines = crossings(names)
    size = {number: 0.0 for number in range(1, len(names) + 1)}
    for line, found in enumerate(lines):
        height = math.cos(math.radians((line + 0.5) / LINES - 90))
        ends = {}
        for longitude, zone in sorted(found):
            if zone in ends:
                size[zone] += (longitude - ends.pop(zone)) * height
            else:
                ends[zone] = longitude
    for number, found in enumerate(lines):
        if found:
            yield number, runs(found, size)
