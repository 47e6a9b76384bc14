"""navsatfix.py: the covariance and its type, altitude, status and time; needs the package locationd alone."""

import math
import time
import unittest
from datetime import datetime, timezone

from scripted import location, locationd, made, status
import navsatfix


def ellipse(major, minor, orientation, deviation=True):
    return made(locationd.ErrorEllipse, semi_major_axis=major, semi_minor_axis=minor, orientation=orientation,
                is_standard_deviation=deviation)


def variance(matrix, direction):
    """Along a direction, degrees clockwise from north."""
    east, north = math.sin(math.radians(direction)), math.cos(math.radians(direction))
    return matrix[0] * east**2 + 2 * matrix[1] * east * north + matrix[4] * north**2


class Covariance(unittest.TestCase):
    def test_ellipse_of_standard_deviations_is_turned_clockwise_from_north(self):
        for orientation in (10, 45, 100, 179):
            matrix, kind = navsatfix.covariance(location(
                error_ellipse=ellipse(3, 2, orientation), accuracy_basis="stated", horizontal_accuracy=4, vertical_accuracy=5))
            self.assertEqual(kind, navsatfix.KNOWN)
            self.assertAlmostEqual(variance(matrix, orientation), 9)
            self.assertAlmostEqual(variance(matrix, orientation + 90), 4)
            self.assertEqual(matrix[1], matrix[3])
            self.assertEqual(matrix[8], 25)
        self.assertGreater(navsatfix.covariance(location(error_ellipse=ellipse(3, 2, 45)))[0][1], 0)

    def test_ellipse_along_the_axes_is_diagonal(self):
        for orientation, east, north in ((90, 9, 4), (0, 4, 9)):
            matrix, kind = navsatfix.covariance(location(
                error_ellipse=ellipse(3, 2, orientation), accuracy_basis="stated", horizontal_accuracy=4, vertical_accuracy=5))
            self.assertEqual(kind, navsatfix.DIAGONAL_KNOWN)
            self.assertAlmostEqual(matrix[0], east)
            self.assertAlmostEqual(matrix[4], north)
            self.assertEqual([matrix[index] for index in (1, 2, 3, 5, 6, 7)], [0] * 6)

    def test_circles_hold_what_the_docstring_says(self):
        for basis, part, kind, height in (
                ("stated", 0.68, navsatfix.DIAGONAL_KNOWN, 4), ("fromDOP", 0.95, navsatfix.APPROXIMATED, 4 / 1.96),
                (None, 0.68, navsatfix.APPROXIMATED, 4)):
            matrix, given = navsatfix.covariance(location(accuracy_basis=basis, horizontal_accuracy=10, vertical_accuracy=4))
            self.assertAlmostEqual(1 - math.exp(-10**2 / (2 * matrix[0])), part)
            self.assertEqual((matrix[0], given), (matrix[4], kind))
            self.assertAlmostEqual(matrix[8], height**2)

    def test_errors_of_gpsd_count_unless_the_receiver_states_the_circle(self):
        of_gpsd = ellipse(19.6, 9.8, 90, deviation=False)
        matrix, kind = navsatfix.covariance(location(
            error_ellipse=of_gpsd, accuracy_basis="fromDOP", horizontal_accuracy=25, vertical_accuracy=19.6))
        self.assertEqual(kind, navsatfix.APPROXIMATED)
        for index, expected in ((0, 100), (4, 25), (8, 100)):
            self.assertAlmostEqual(matrix[index], expected)
        matrix, kind = navsatfix.covariance(location(
            error_ellipse=of_gpsd, accuracy_basis="stated", horizontal_accuracy=1.5, vertical_accuracy=2))
        self.assertEqual(kind, navsatfix.DIAGONAL_KNOWN)
        self.assertLess(matrix[0], 1)

    def test_zeros_are_never_known(self):
        for unknown in (location(), location(vertical_accuracy=3), location(horizontal_accuracy=0, accuracy_basis="stated"),
                        location(error_ellipse=ellipse(3, 0, 0))):
            self.assertEqual(navsatfix.covariance(unknown), ([0] * 9, navsatfix.UNKNOWN))

    def test_vertical_part_limits_the_type(self):
        for vertical in (None, 0):
            matrix, kind = navsatfix.covariance(location(
                error_ellipse=ellipse(3, 2, 45), accuracy_basis="stated", horizontal_accuracy=4, vertical_accuracy=vertical))
            self.assertEqual((matrix[8], kind), (1e6, navsatfix.APPROXIMATED))
        for basis, expected in (({"accuracy_basis": "fromDOP"}, navsatfix.APPROXIMATED), ({"basis": "filtered"}, navsatfix.KNOWN)):
            self.assertEqual(navsatfix.covariance(location(
                error_ellipse=ellipse(3, 2, 45), horizontal_accuracy=9, vertical_accuracy=9, **basis))[1], expected)


class Fields(unittest.TestCase):
    def test_altitude_is_above_the_ellipsoid(self):
        self.assertEqual(navsatfix.fields(location(altitude=35, ellipsoidal_altitude=79.5))["altitude"], 79.5)
        self.assertEqual(navsatfix.fields(location(altitude=35, geoid_separation=44.5))["altitude"], 79.5)
        for unknown in (location(), location(altitude=35)):
            self.assertTrue(math.isnan(navsatfix.fields(unknown)["altitude"]))

    def test_status_says_what_improved_the_fix(self):
        for augmentation, expected in (
                (None, 0), ("dgps", 1), ("rtkFixed", 2), ("rtkFloat", 2), ("gnssDeadReckoning", 0), ("deadReckoning", -1)):
            self.assertEqual(navsatfix.fields(location(augmentation=augmentation))["status"]["status"], expected)

    def test_time_is_the_receivers_unless_it_cannot_be(self):
        then = datetime(2020, 1, 2, 3, 4, 5, 678000, timezone.utc)
        header = navsatfix.fields(location(timestamp=then), frame_id="antenna")["header"]
        self.assertEqual(header, {"stamp": {"sec": 1577934245, "nanosec": 678000000}, "frame_id": "antenna"})
        for other in (location(), location(timestamp=then, timestamp_implausible=True)):
            self.assertLess(abs(navsatfix.stamp(other) - time.time_ns()), 10e9)
        old = location()
        old = location(monotonic_time=old.monotonic_time - 100)
        self.assertAlmostEqual((time.time_ns() - navsatfix.stamp(old)) / 1e9, 100, delta=5)

    def test_lost_fix_is_said_once_and_without_a_position(self):
        satellites = made(locationd.Satellites, satellites=(
            made(locationd.Satellite, gnss="Galileo", id=1, used=True), made(locationd.Satellite, gnss="GPS", id=2, used=True),
            made(locationd.Satellite, gnss="BeiDou", id=3, used=False), made(locationd.Satellite, gnss="unknown", id=4, used=True)))
        updates = [status("starting"), status("searching"), satellites, location(), status("tracking"), status("lost"),
                   status("unavailable"), location()]
        messages = list(navsatfix.messages(updates, "antenna"))
        self.assertEqual([message["status"]["status"] for message in messages], [0, -1, 0])
        self.assertEqual(messages[0]["status"]["service"], 1 + 8)
        self.assertTrue(math.isnan(messages[1]["latitude"]) and math.isnan(messages[1]["longitude"]))
        self.assertEqual(messages[1]["position_covariance_type"], navsatfix.UNKNOWN)


if __name__ == "__main__":
    unittest.main()
