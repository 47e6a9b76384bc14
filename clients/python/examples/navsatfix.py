"""The fields of ROS's sensor_msgs/NavSatFix, from a location of locationd; ros1_node.py and mcap_recorder.py send and write them.

    python3 navsatfix.py                # prints them; needs the package locationd and no ROS

What the covariance assumes is what locationd's own estimates assume (docs/estimate.md): an accuracy that the receiver states
(`accuracy_basis` is "stated") is the radius of a circle that holds 68 % of the positions, its vertical one a standard deviation.
One that is computed from the dilution of precision ("fromDOP") holds 95 %. No receiver promises either.

- An ellipse of standard deviations (NMEA's GST, an estimate) is turned into east and north. One of unknown certainty (gpsd's
  `epx` and `epy`) counts only where the receiver does not state the circle.
- KNOWN: an ellipse of standard deviations between the axes. DIAGONAL_KNOWN: one along them, or a stated circle. APPROXIMATED: all
  else, and every matrix whose vertical part is not the receiver's; without a vertical accuracy that variance is 10⁶ m². UNKNOWN, with
  zeros: no horizontal accuracy, or one of 0.
- The altitude is above the ellipsoid, as NavSatFix says, and NaN if that is not known: ROS's convention, in this adapter alone.
- "dgps" is SBAS_FIX, though gpsd does not say whether a satellite or a station on the ground sends the corrections.
  "deadReckoning" (no satellites) has its position, and NO_FIX.
"""

import math
import time
from datetime import datetime, timedelta, timezone

import locationd

UNKNOWN, APPROXIMATED, DIAGONAL_KNOWN, KNOWN = range(4)
NO_FIX, FIX, SBAS_FIX, GBAS_FIX = range(-1, 3)
STATUS = {"dgps": SBAS_FIX, "rtkFixed": GBAS_FIX, "rtkFloat": GBAS_FIX, "deadReckoning": NO_FIX}
SERVICE = {"GPS": 1, "GLONASS": 2, "BeiDou": 4, "Galileo": 8}
UNKNOWN_VARIANCE = 1e6
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def horizontal(location):
    """The variances to the east and the north and their covariance, m², and the type that they deserve; None if nothing is known."""
    from_dop, ellipse, radius = location.accuracy_basis == "fromDOP", location.error_ellipse, location.horizontal_accuracy
    stated = location.accuracy_basis == "stated" and radius is not None
    if ellipse and (ellipse.is_standard_deviation or not stated):
        scale = 1.96 if from_dop and not ellipse.is_standard_deviation else 1
        major, minor = (ellipse.semi_major_axis / scale) ** 2, (ellipse.semi_minor_axis / scale) ** 2
        sine, cosine = math.sin(math.radians(ellipse.orientation)), math.cos(math.radians(ellipse.orientation))
        turned = ellipse.orientation % 90 != 0 and major != minor
        mixed = (major - minor) * sine * cosine if turned else 0.0
        kind = (KNOWN if turned else DIAGONAL_KNOWN) if ellipse.is_standard_deviation else APPROXIMATED
        return major * sine**2 + minor * cosine**2, major * cosine**2 + minor * sine**2, mixed, kind
    if radius is None:
        return None
    variance = radius**2 / (-2 * math.log(1 - (0.95 if from_dop else 0.68)))
    return variance, variance, 0.0, DIAGONAL_KNOWN if stated else APPROXIMATED


def covariance(location):
    """The 3 × 3 matrix of east, north and up, row by row, m², and its type. Zeros have the type UNKNOWN."""
    known = horizontal(location)
    if known is None or min(known[:2]) <= 0:
        return [0.0] * 9, UNKNOWN
    east, north, mixed, kind = known
    vertical = (location.vertical_accuracy or 0) / (1.96 if location.accuracy_basis == "fromDOP" else 1)
    if vertical <= 0 or not (location.accuracy_basis == "stated" or location.basis):
        kind = APPROXIMATED
    return [east, mixed, 0.0, mixed, north, 0.0, 0.0, 0.0, vertical**2 or UNKNOWN_VARIANCE], kind


def stamp(location):
    """Nanoseconds since 1970: the receiver's time; without one that is plausible, when the daemon received the fix."""
    if location.timestamp is None or location.timestamp_implausible:
        return time.time_ns() - int(location.age() * 1e9)
    return (location.timestamp - EPOCH) // timedelta(microseconds=1) * 1000


def service(satellites):
    """The bits of the systems whose satellites are used, of a `locationd.Satellites`; 0 if there are none."""
    return sum({SERVICE.get(satellite.gnss, 0) for satellite in satellites if satellite.used})


def fields(location, frame_id="gps", service=0):
    """The message as dictionaries with ROS 2's names. `frame_id` is the antenna's frame on the vehicle."""
    altitude = location.ellipsoidal_altitude
    if altitude is None and None not in (location.altitude, location.geoid_separation):
        altitude = location.altitude + location.geoid_separation
    matrix, kind = covariance(location)
    return message(stamp(location), frame_id, STATUS.get(location.augmentation, FIX), service, location.latitude, location.longitude,
                   math.nan if altitude is None else altitude, matrix, kind)


def no_fix(frame_id="gps"):
    """What is published once when there is no fix: no position, so that nobody takes the last one for the present one."""
    return message(time.time_ns(), frame_id, NO_FIX, 0, math.nan, math.nan, math.nan, [0.0] * 9, UNKNOWN)


def message(nanoseconds, frame_id, status, service, latitude, longitude, altitude, matrix, kind):
    seconds, rest = divmod(nanoseconds, 10**9)
    return {"header": {"stamp": {"sec": seconds, "nanosec": rest}, "frame_id": frame_id},
            "status": {"status": status, "service": service}, "latitude": latitude, "longitude": longitude, "altitude": altitude,
            "position_covariance": matrix, "position_covariance_type": kind}


def messages(updates, frame_id="gps"):
    """A message for each location among a watch's updates, and one without a position when the fix is lost."""
    bits, has_fix = 0, False
    for update in updates:
        if isinstance(update, locationd.Satellites):
            bits = service(update)
        elif isinstance(update, locationd.Location):
            has_fix = True
            yield fields(update, frame_id, bits)
        elif has_fix and isinstance(update, locationd.Status) and update.source != "tracking":
            has_fix = False
            yield no_fix(frame_id)


if __name__ == "__main__":
    with locationd.Client() as client:
        for fix in messages(client.watch(satellites=True, purpose="NavSatFix")):
            print(fix, flush=True)
