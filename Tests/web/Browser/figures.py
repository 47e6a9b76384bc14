"""Numbers as people read them: units, points of the compass, lengths of time."""

from browser import Visit
from machine import TOWER

FORMAT = """async () => {
    const { settings } = await import("/settings.js");
    const { formatCourse, formatDistance, formatLength, formatSpeed } = await import("/units.js");
    const { formatDuration } = await import("/text.js");
    const points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
    const before = settings.units;
    const units = {};
    for (const name of ["metric", "imperial", "nautical"]) {
        settings.choose("units", name);
        units[name] = [formatSpeed(10), formatLength(3), formatLength(100), formatDistance(900), formatDistance(5000)];
    }
    settings.choose("units", before);
    return {
        units,
        courses: [0, 22, 23, 67, 68, 180, 337, 338, 359.6].map((degrees) => formatCourse(degrees, points)),
        durations: [-1, 0, 59.9, 60, 3599, 3600, 3661, 86399, 86400, 90061, 172800].map(formatDuration),
    };
}"""

#: 10 m/s; 3 m and 100 m of an accuracy; 900 m and 5000 m of a way. A mile has 1609.344 m, a nautical one 1852, a foot 0.3048.
UNITS = {
    "metric": ["36.0 km/h", "3.0 m", "100 m", "900 m", "5.0 km"],
    "imperial": ["22.4 mph", "9.8 ft", "328 ft", "2,953 ft", "3.1 mi"],
    "nautical": ["19.4 kn", "3.0 m", "100 m", "900 m", "2.7 nmi"],
}
#: Each point has the 45° around it.
COURSES = ["000° N", "022° N", "023° NE", "067° NE", "068° E", "180° S", "337° NW", "338° N", "000° N"]
DURATIONS = ["0 s", "0 s", "59 s", "1 min", "59 min 59 s", "1 h", "1 h 1 min", "23 h 59 min", "1 d", "1 d 1 h", "2 d"]


def numbers_are_in_the_units_of_the_person(bench):
    with bench.machine(sources=TOWER) as machine, Visit(bench.browser, machine) as visit:
        written = visit.sign_in().evaluate(FORMAT)
        assert written == {"units": UNITS, "courses": COURSES, "durations": DURATIONS}, written


CHECKS = [numbers_are_in_the_units_of_the_person]
