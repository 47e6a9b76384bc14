import Glibc
package import LocationModel

/// A car that drives around a closed road for ever: faster, slower, through bends, over hills, with a stop now and
/// then.
///
/// Everything is a function of the time since the start: the same arguments give the same drive, any moment can be
/// asked for in any order, and nothing drifts over days. Position, speed, course, altitude and climb agree.
package struct SimulatedDrive: Sendable {
    /// The vehicle at one moment.
    package struct Moment: Sendable, Hashable {
        /// Where it is.
        package var coordinate: Coordinate
        /// Metres per second, 0 while it stands.
        package var speed: Double
        /// Where its nose points, degrees clockwise from true north, 0..<360.
        package var direction: Double
        /// Metres above mean sea level.
        package var altitude: Double
        /// Metres per second, up is positive.
        package var climb: Double
        /// Metres up per metre forward.
        package var slope: Double

        /// The direction of travel; `nil` while it stands.
        package var course: Double? { speed > 0 ? direction : nil }
    }

    let start: Coordinate
    let frame: LocalFrame
    let road: Road
    let timetable: Timetable
    let relief: Relief
    let sky: SimulatedSky
    let precision: Wander
    let middleAltitude: Double

    /// - Parameters:
    ///   - start: Where the road begins; it stays within 12 km of it.
    ///   - speed: What the driver aims at where nothing slows it down, metres per second. Taken to lie within 0...100;
    ///     below 0.1, or not a number, the vehicle stands for ever.
    ///   - altitude: Height above mean sea level about which the road rises and falls, metres.
    ///   - seed: Chooses the road, the stops and the sky.
    package init(start: Coordinate, speed: Double = 14, altitude: Double = 120, seed: UInt64 = 1) {
        var generator = SeededGenerator(seed: seed)
        let speed = speed.isNaN ? 0 : max(0, min(100, speed))
        self.start = start
        frame = LocalFrame(at: start)
        // A lap takes some minutes at any speed, but a road has bends a car can drive.
        road = Road(radius: max(150, speed * 45), using: &generator)
        timetable = Timetable(road: road, speed: speed, using: &generator)
        relief = Relief(length: road.length, using: &generator)
        sky = SimulatedSky(using: &generator)
        precision = Wander(using: &generator)
        middleAltitude = altitude.isFinite ? altitude : 0
    }

    /// The vehicle so many seconds after the start. A number that is not finite counts as 0.
    package func moment(at seconds: Double) -> Moment {
        let progress = timetable.progress(at: lapTime(seconds))
        let place = road.place(at: progress.distance)
        let coordinate = frame.coordinate(east: place.east, north: place.north) ?? start
        let (height, slope) = relief.height(at: progress.distance)
        return Moment(
            coordinate: coordinate, speed: progress.speed,
            // North is another direction there than at the start.
            direction: LocalFrame(at: coordinate).bearing(of: frame.direction(bearing: place.bearing)),
            altitude: middleAltitude + height, climb: slope * progress.speed, slope: slope)
    }

    private func lapTime(_ seconds: Double) -> Double {
        guard seconds.isFinite, timetable.duration.isFinite else { return 0 }
        let rest = fmod(seconds, timetable.duration)
        return rest < 0 ? rest + timetable.duration : rest
    }
}

/// What a receiver and a compass in the vehicle would tell.
extension SimulatedDrive {
    /// Metres from the ellipsoid up to mean sea level.
    package static let geoidSeparation = 47.0
    /// Degrees east of true north.
    package static let magneticVariation = 3.5

    /// The satellites in view so many seconds after the start.
    package func satellites(at seconds: Double) -> [Satellite] {
        sky.satellites(over: frame, at: seconds.isFinite ? seconds : 0)
    }

    /// The fix so many seconds after the start, without a timestamp.
    package func location(at seconds: Double, monotonicTime: BootInstant, source: SourceInformation) -> Location {
        let moment = moment(at: seconds)
        let satellites = satellites(at: seconds)
        let dilution = DilutionOfPrecision(of: satellites)
        // The error of one range, metres; houses and trees make it come and go.
        let wander = precision.value(at: seconds.isFinite ? seconds : 0)
        let rangeError = 3 + 1.5 * wander
        let speedAccuracy = 0.25 + 0.15 * wander

        var location = Location(
            coordinate: moment.coordinate, mode: .threeDimensional, monotonicTime: monotonicTime, source: source)
        location.horizontalAccuracy = dilution.map { $0.horizontal * rangeError }
        location.altitude = moment.altitude
        location.ellipsoidalAltitude = moment.altitude + Self.geoidSeparation
        location.verticalAccuracy = dilution.map { $0.vertical * rangeError }
        location.speed = moment.speed
        location.speedAccuracy = speedAccuracy
        location.course = moment.course
        location.courseAccuracy = moment.course.map { _ in
            min(180, atan2(speedAccuracy, moment.speed) * 180 / .pi)
        }
        location.climb = moment.climb
        location.climbAccuracy = 2 * speedAccuracy
        location.magneticVariation = Self.magneticVariation
        location.satellitesUsed = satellites.count(where: \.used)
        location.hdop = dilution?.horizontal
        location.vdop = dilution?.vertical
        location.pdop = dilution?.position
        return location.roundedAsReceiversDo
    }

    /// The compass so many seconds after the start; it works while the vehicle stands, too.
    package func heading(at seconds: Double) -> Heading {
        let moment = moment(at: seconds)
        var heading = Heading()
        heading.trueHeading = moment.direction.rounded(toPlaces: 3, below: 360)
        heading.magneticHeading = fmod(moment.direction - Self.magneticVariation + 360, 360).rounded(
            toPlaces: 3, below: 360)
        heading.accuracy = 2
        heading.pitch = (atan(moment.slope) * 180 / .pi).rounded(toPlaces: 1)
        heading.roll = 0
        return heading
    }
}

extension Location {
    /// A receiver tells nanodegrees at best, and a thousandth of everything else.
    fileprivate var roundedAsReceiversDo: Location {
        var location = self
        location.coordinate =
            Coordinate(
                latitude: coordinate.latitude.rounded(toPlaces: 9), longitude: coordinate.longitude.rounded(toPlaces: 9)
            )
            ?? coordinate
        let fields: [WritableKeyPath<Location, Double?>] = [
            \.horizontalAccuracy, \.altitude, \.ellipsoidalAltitude, \.verticalAccuracy, \.speed, \.speedAccuracy,
            \.courseAccuracy, \.climb, \.climbAccuracy, \.hdop, \.vdop, \.pdop,
        ]
        for field in fields { location[keyPath: field] = location[keyPath: field]?.rounded(toPlaces: 3) }
        location.course = course?.rounded(toPlaces: 3, below: 360)
        return location
    }
}

extension Double {
    /// The nearest number with so many decimal places; what rounds up to `limit`, of an angle, is 0.
    fileprivate func rounded(toPlaces places: Int, below limit: Double = .infinity) -> Double {
        let scale = pow(10, Double(places))
        let value = (self * scale).rounded() / scale
        return value >= limit ? 0 : value
    }
}

/// A value that wanders slowly and smoothly within -1...1: a function of time alone, so any moment can be asked for.
///
/// Three sines whose periods, tens of seconds to minutes, have no common multiple in sight.
struct Wander: Sendable {
    private let phases: SIMD3<Double>

    init(using generator: inout SeededGenerator) {
        let turn = 0...2 * Double.pi
        phases = SIMD3(generator.number(in: turn), generator.number(in: turn), generator.number(in: turn))
    }

    /// The value at so many seconds.
    func value(at seconds: Double) -> Double {
        (sin(seconds / 6.1 + phases.x) + sin(seconds / 23.7 + phases.y) + sin(seconds / 89.3 + phases.z)) / 3
    }
}

/// East, north and up at a place, as directions in space: a flat map of the surroundings that is exact at the poles
/// and at the antimeridian.
///
/// Space is Earth-centred and Earth-fixed, in metres. Ellipsoid: WGS 84. Lengths on the map are right to a few
/// millionths within 10 km.
struct LocalFrame: Sendable {
    let origin: SIMD3<Double>
    let east: SIMD3<Double>
    let north: SIMD3<Double>
    let up: SIMD3<Double>

    private static let semiMajorAxis = 6_378_137.0
    private static let semiMinorAxis = 6_356_752.314_245
    private static let eccentricitySquared = 6.694_379_990_14e-3

    init(at coordinate: Coordinate) {
        let latitude = coordinate.latitude * .pi / 180
        let longitude = coordinate.longitude * .pi / 180
        let (sine, cosine) = (sin(latitude), cos(latitude))
        let curvatureRadius = Self.semiMajorAxis / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        east = SIMD3(-sin(longitude), cos(longitude), 0)
        north = SIMD3(-sine * cos(longitude), -sine * sin(longitude), cosine)
        up = SIMD3(cosine * cos(longitude), cosine * sin(longitude), sine)
        origin = curvatureRadius * SIMD3(up.x, up.y, up.z * (1 - Self.eccentricitySquared))
    }

    /// The coordinate so many metres east and north of the origin.
    func coordinate(east metresEast: Double, north metresNorth: Double) -> Coordinate? {
        // Bowring (1976): one step is good to a fraction of a millimetre near the surface.
        let point = origin + metresEast * east + metresNorth * north
        let fromAxis = hypot(point.x, point.y)
        let parametric = atan2(point.z * Self.semiMajorAxis, fromAxis * Self.semiMinorAxis)
        let (sine, cosine) = (sin(parametric), cos(parametric))
        let secondEccentricitySquared = Self.eccentricitySquared / (1 - Self.eccentricitySquared)
        let latitude = atan2(
            point.z + secondEccentricitySquared * Self.semiMinorAxis * sine * sine * sine,
            fromAxis - Self.eccentricitySquared * Self.semiMajorAxis * cosine * cosine * cosine)
        let longitude = atan2(point.y, point.x)
        // π has no exact Double: a rounding error must not leave the range.
        return Coordinate(
            latitude: max(-90, min(90, latitude * 180 / .pi)), longitude: max(-180, min(180, longitude * 180 / .pi)))
    }

    /// A bearing on this map, as a direction in space; both in the sense of a compass, degrees.
    func direction(bearing: Double) -> SIMD3<Double> {
        sin(bearing * .pi / 180) * east + cos(bearing * .pi / 180) * north
    }

    /// The bearing at this place of a direction in space, degrees, 0..<360.
    func bearing(of direction: SIMD3<Double>) -> Double {
        let degrees = atan2((direction * east).sum(), (direction * north).sum()) * 180 / .pi
        let positive = degrees < 0 ? degrees + 360 : degrees
        return positive < 360 ? positive : 0
    }
}
