"""Drives with a truth: those of the package onavdata, which is fetched and not kept, and simulated ones.

A drive is a list of epochs. Positions are metres to the east and north of the drive's origin, on the plane that touches the ellipsoid there."""

import csv
import dataclasses
import io
import math
import random
import statistics
import zipfile

A, E2 = 6_378_137.0, 6.694379990141316e-3


@dataclasses.dataclass
class Epoch:
    """What the receiver said, and what was: seconds, metres, metres per second, standard deviations."""

    time: float
    measured: tuple[float, float]
    deviation: tuple[float, float]
    velocity: tuple[float, float]
    velocity_deviation: float
    true: tuple[float, float]
    true_velocity: tuple[float, float]

    @property
    def speed(self):
        return math.hypot(*self.velocity)

    @property
    def true_speed(self):
        return math.hypot(*self.true_velocity)


class Plane:
    """The plane that touches the ellipsoid at a point; degrees."""

    def __init__(self, latitude, longitude):
        phi, lam = math.radians(latitude), math.radians(longitude)
        self.sin, self.cos = (math.sin(phi), math.sin(lam)), (math.cos(phi), math.cos(lam))
        self.point = self._spatial(latitude, longitude)

    @staticmethod
    def _spatial(latitude, longitude):
        phi, lam = math.radians(latitude), math.radians(longitude)
        n = A / math.sqrt(1 - E2 * math.sin(phi) ** 2)
        return n * math.cos(phi) * math.cos(lam), n * math.cos(phi) * math.sin(lam), n * (1 - E2) * math.sin(phi)

    def position(self, latitude, longitude):
        x, y, z = (b - a for a, b in zip(self.point, self._spatial(latitude, longitude)))
        east = -self.sin[1] * x + self.cos[1] * y
        north = -self.sin[0] * self.cos[1] * x - self.sin[0] * self.sin[1] * y + self.cos[0] * z
        return east, north

    def coordinate(self, east, north):
        """By iteration: the point of the ellipsoid that is projected there."""
        latitude = math.degrees(math.atan2(self.sin[0], self.cos[0]))
        longitude = math.degrees(math.atan2(self.sin[1], self.cos[1]))
        for _ in range(6):
            e, n = self.position(latitude, longitude)
            s = math.sin(math.radians(latitude))
            longitude += math.degrees((east - e) / (A / math.sqrt(1 - E2 * s * s) * math.cos(math.radians(latitude))))
            latitude += math.degrees((north - n) * (1 - E2 * s * s) ** 1.5 / (A * (1 - E2)))
        return latitude, longitude


def _rows(path):
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
        yield from csv.DictReader(io.TextIOWrapper(file), skipinitialspace=True)


def car(folder, ahead=None):
    """A drive with a receiver of 1 Hz, beside an inertial system that knows the way.

    The antenna is not where that system is, but a fixed distance `ahead` of it along the car, metres: what the positions are ahead of the truth on average
    while the car moves, where nothing is given.

    Returns the drive, whose truth is the antenna's, and the distance."""
    places, ways, directions = {}, {}, {}
    for row in _rows(folder / "n380-position.csv.zip"):
        # 4: the inertial system knows position, velocity and direction.
        if float(row["SystemTov"]) >= 0 and row["InsGnssBIT.InsMode"].strip() == "4":
            places[round(float(row["SystemTov"]), 2)] = (math.degrees(float(row["Latitude"])), math.degrees(float(row["Longitude"])))
    for row in _rows(folder / "n380-velocity.csv.zip"):
        ways[round(float(row["SystemTov"]), 2)] = (float(row["VelocityNED[1]"]), float(row["VelocityNED[0]"]))
    for row in _rows(folder / "n380-attitude.csv.zip"):
        directions[round(float(row["SystemTov"]), 2)] = float(row["EulerAttitude[2]"])
    drive, headings, plane = [], [], None
    for row in _rows(folder / "n380-gnss-pvt.csv.zip"):
        time = round(float(row["SystemTov"]), 2)
        if time not in places or time not in ways or time not in directions:
            continue
        here = math.degrees(float(row["GnssLatitude"])), math.degrees(float(row["GnssLongitude"]))
        plane = plane or Plane(*here)
        drive.append(Epoch(
            time, plane.position(*here), (float(row["GnssStdvLon"]), float(row["GnssStdvLat"])),
            (float(row["GnssVelocityE"]), float(row["GnssVelocityN"])),
            math.hypot(float(row["GnssStdvE"]), float(row["GnssStdvN"])) / math.sqrt(2),
            plane.position(*places[time]), ways[time]))
        headings.append((math.sin(directions[time]), math.cos(directions[time])))
    if ahead is None:
        ahead = statistics.fmean(
            sum((m - t) * h for m, t, h in zip(epoch.measured, epoch.true, heading))
            for epoch, heading in zip(drive, headings) if epoch.true_speed > 2)
    for epoch, heading in zip(drive, headings):
        epoch.true = tuple(t + ahead * h for t, h in zip(epoch.true, heading))
    return drive, ahead


def way(folder, letter):
    """A simulated way of 10 Hz, whose errors are independent: 1 m and 0.1 m/s along each axis."""
    path = folder / "Chapter 7 - Case Study 2 - Add Mag" / "with-errors" / f"TRAJECTORY_{letter}_with_mag.csv.zip"
    return [
        Epoch(
            float(row["TimeFromStart (s)"]), (float(row["GNSSPosEast (m)"]), float(row["GNSSPosNorth (m)"])), (1.0, 1.0),
            (float(row["GNSSVelEast (m/s)"]), float(row["GNSSVelNorth (m/s)"])), 0.1,
            (float(row["PosEast (m)"]), float(row["PosNorth (m)"])), (float(row["VelEast (m/s)"]), float(row["VelNorth (m/s)"])))
        for row in _rows(path)]


def fetched(data):
    """The drives of onavdata, by what they are called here."""
    cars, ways = data / "HGuide n380", data / "GNSS Applications and Methods"
    hill, ahead = car(cars / "2021-04-27C-car-hill-drive")
    # The same car and antenna; the shorter drive says less of where that is.
    lights, _ = car(cars / "2021-03-29-automotive-stoplight-to-stoplight", ahead)
    print(f"the antenna is {-ahead:.2f} m behind the reference\n")
    return {
        "hill drive": hill,
        "stop lights": lights,
        **{f"way {letter}": way(ways, letter) for letter in "ABCD"},
    }


def simulated(seed=1, minutes=30, independent=0.5, correlated=2.0, correlation=60.0):
    """A drive of a town: straight on, a turn of 90 degrees within four seconds, a stop of a minute now and then.

    Its receiver has an error that is independent from second to second, and one that changes slowly (a Gauss-Markov process), and states both
    together."""
    draw = random.Random(seed)
    position, velocity, heading = [0.0, 0.0], 0.0, 0.0
    slow = [draw.gauss(0, correlated), draw.gauss(0, correlated)]
    drive, time, pending = [], 0, []
    while time < minutes * 60:
        if not pending:
            target = draw.choice([8.0, 14.0, 14.0, 0.0])
            pending = [("speed", target)] * 8
            if target == 0:
                pending += [("stand", 0)] * 60
            else:
                pending += [("on", 0)] * draw.randint(10, 30)
                side = draw.choice([-1, 1])
                pending += [("speed", 6.0)] * 5 + [("turn", side * math.pi / 8)] * 4
        kind, value = pending.pop(0)
        before, turned = velocity, heading
        if kind == "speed":
            velocity += max(-2.5, min(2.5, value - velocity))
        elif kind == "turn":
            heading += value
        # In small steps between the seconds.
        for step in range(20):
            part = (step + 0.5) / 20
            speed, angle = before + (velocity - before) * part, turned + (heading - turned) * part
            position[0] += math.sin(angle) * speed / 20
            position[1] += math.cos(angle) * speed / 20
        keep = math.exp(-1 / correlation)
        slow = [keep * s + math.sqrt(1 - keep * keep) * draw.gauss(0, correlated) for s in slow]
        deviation = math.hypot(independent, correlated)
        way = (math.sin(heading) * velocity, math.cos(heading) * velocity)
        drive.append(Epoch(
            float(time), tuple(p + s + draw.gauss(0, independent) for p, s in zip(position, slow)), (deviation, deviation),
            tuple(v + draw.gauss(0, 0.1) for v in way), 0.1, tuple(position), way))
        time += 1
    return drive
