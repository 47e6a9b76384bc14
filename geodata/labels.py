"""Which places a map names at which zoom, so that no two names are on top of each other."""

import collections
import math

# The zooms of the map at which more places are named than at the one before.
LEAST, MOST = 2, 8
# Pixels that a letter takes at most, and that are free around a name.
LETTER, LINE, SPACE_BESIDE, SPACE_ABOVE = 8, 18, 40, 18
# Pixels of a cell: names that meet are in the same one or in two beside each other.
CELL = 512


def choose(places):
    """(place, zoom from which it is named) of those that have room, given those with most people first."""
    cells = collections.defaultdict(list)
    for place in places:
        zoom = MOST + 1
        while zoom > LEAST and is_free(cells, place, zoom - 1):
            zoom -= 1
        if zoom > MOST:
            continue
        for each in range(zoom, MOST + 1):
            box = frame(place, each)
            cells[cell(box, each)].append(box)
        yield place, zoom


def is_free(cells, place, zoom):
    box = frame(place, zoom)
    _, column, row = cell(box, zoom)
    near = (cells.get((zoom, column + x, row + y), ()) for x in (-1, 0, 1) for y in (-1, 0, 1))
    return not any(meet(box, other) for boxes in near for other in boxes)


def frame(place, zoom):
    """Where the name is and what is free around it, in pixels (Web Mercator): west, north, east, south."""
    size = 256 * 2 ** zoom
    x = size * (place["longitude"] + 180) / 360
    y = size * (0.5 - math.asinh(math.tan(math.radians(place["latitude"]))) / (2 * math.pi))
    return (x - SPACE_BESIDE / 2, y - (LINE + SPACE_ABOVE) / 2, x + LETTER * len(place["name"]) + SPACE_BESIDE / 2,
            y + (LINE + SPACE_ABOVE) / 2)


def cell(box, zoom):
    return zoom, box[0] // CELL, box[1] // CELL


def meet(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
