"""Natural Earth's shapes, with as many corners as a map shows at a zoom."""

import collections

import shapefile


def read_parts(path):
    """The polygons of a shapefile, each a list of rings, the outer one first; of one with lines, the lines."""
    with shapefile.Reader(shp=path.open("rb")) as reader:
        for shape in reader.iterShapes():
            if shape.shapeType == shapefile.NULL:
                continue
            geometry = shape.__geo_interface__
            is_one = geometry["type"] in ("Polygon", "LineString")
            yield from [geometry["coordinates"]] if is_one else geometry["coordinates"]


def corner(point):
    """Equal for what is within about ten metres: the same corner differs by that between shapefiles."""
    return round(point[0], 4), round(point[1], 4)


def joined(lines):
    """The lines with those made one of which each goes on where the other ends, and no third."""
    ends = collections.defaultdict(list)
    for line in lines:
        for point in (line[0], line[-1]):
            ends[corner(point)].append(line)
    used = set()

    def extend(line):
        """Goes on at the last corner while exactly one other line does."""
        while len(found := ends[corner(line[-1])]) == 2:
            following = next((each for each in found if id(each) not in used), None)
            if following is None:
                return
            used.add(id(following))
            line += (following if corner(following[0]) == corner(line[-1]) else following[::-1])[1:]

    for line in lines:
        if id(line) in used:
            continue
        used.add(id(line))
        whole = list(line)
        extend(whole)
        whole.reverse()
        extend(whole)
        yield whole


class Simplification:
    """Leaves out corners less than `tolerance` degrees from a straight line (Ramer, Douglas and Peucker), and rounds the others.

    Corners that are in `fixed` stay: where a border meets a coast, both need it.
    """

    def __init__(self, tolerance, digits, fixed=()):
        self.tolerance, self.digits, self.fixed = tolerance, digits, frozenset(fixed)

    def line(self, points):
        """`None` if nothing is left of it."""
        ends = [0, *(index for index in range(1, len(points) - 1) if corner(points[index]) in self.fixed), len(points) - 1]
        kept, spans = set(ends), list(zip(ends, ends[1:]))
        while spans:
            first, last = spans.pop()
            distance, middle = farthest(points, first, last)
            if distance > self.tolerance:
                kept.add(middle)
                spans += [(first, middle), (middle, last)]
        rounded = [[round(value, self.digits) for value in points[index][:2]] for index in sorted(kept)]
        rounded = [point for point, previous in zip(rounded, [None, *rounded]) if point != previous]
        return rounded if len(rounded) > 1 else None

    def polygon(self, rings):
        """`None` if nothing is left of the outer ring; holes of which nothing is left are filled.

        The outer ring runs counterclockwise, holes clockwise (RFC 7946, 3.1.6).
        """
        outer, *holes = map(self._ring, rings)
        return outer and [turned(outer, 1), *(turned(hole, -1) for hole in holes if hole)]

    def _ring(self, points):
        # In two halves: the ends of a whole ring are one point, from which everything would be measured.
        far = max(range(len(points)), key=lambda index: square(points[0], points[index]))
        one, other = self.line(points[:far + 1]), self.line(points[far:])
        ring = one and other and one + other[1:]
        return ring if ring and len(ring) > 3 else None


def turned(ring, direction):
    doubled_area = sum(one[0] * other[1] - other[0] * one[1] for one, other in zip(ring, ring[1:]))
    return ring if doubled_area * direction > 0 else ring[::-1]


def square(one, other):
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def farthest(points, first, last):
    """How far the farthest point between two of a line is from the straight line between them, and its index."""
    (west, south), (east, north) = points[first][:2], points[last][:2]
    width, height, length = east - west, north - south, square(points[first], points[last])
    most, found = 0.0, first
    for index in range(first + 1, last):
        x, y = points[index][0] - west, points[index][1] - south
        along = min(max((x * width + y * height) / length, 0), 1) if length > 0 else 0
        distance = (x - along * width) ** 2 + (y - along * height) ** 2
        if distance > most:
            most, found = distance, index
    return most ** 0.5, found
