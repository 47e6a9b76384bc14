import Glibc
@_spi(Programs) package import LocationModel

/// A car that drives around a closed road for ever: accelerating and braking, through bends, over hills, with
/// occasional stops.
///
/// Everything is a function of the time since the start: the same arguments give the same drive, moments can be
/// computed in any order, and nothing drifts over days. Position, speed, course, altitude and climb are consistent.
package struct SimulatedDrive: Sendable {
    /// The vehicle at one moment.
    package struct Moment: Sendable, Hashable {
        /// Where it is.
        package var coordinate: Coordinate
        /// Metres per second, 0 while it stands still.
        package var speed: Double
        /// The direction its front points in, degrees clockwise from true north, 0..<360.
        package var direction: Double
        /// Metres above mean sea level.
        package var altitude: Double
        /// Metres per second, up is positive.
        package var climb: Double
        /// Metres up per metre forward.
        package var slope: Double

        /// The direction of travel; `nil` while it stands still.
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
    ///   - start: The beginning of the road, which stays within 12 km of it.
    ///   - speed: The driver's target speed where nothing slows the car down, metres per second. Clamped to 0...100;
    ///     below 0.1, or NaN, the vehicle never moves.
    ///   - altitude: The mean height of the road above mean sea level, metres.
    ///   - seed: Chooses the road, the stops and the sky.
    package init(start: Coordinate, speed: Double = 14, altitude: Double = 120, seed: UInt64 = 1) {
        var generator = SeededGenerator(seed: seed)
        let speed = speed.isNaN ? 0 : max(0, min(100, speed))
        self.start = start
        frame = LocalFrame(at: start)
        // A lap takes some minutes at any speed, but bends must be wide enough to drive through.
        road = Road(radius: max(150, speed * 45), using: &generator)
        timetable = Timetable(road: road, speed: speed, using: &generator)
        relief = Relief(length: road.length, using: &generator)
        sky = SimulatedSky(using: &generator)
        precision = Wander(using: &generator)
        middleAltitude = altitude.isFinite ? altitude : 0
    }

    /// The vehicle at the given seconds after the start. A number that is not finite counts as 0.
    package func moment(at seconds: Double) -> Moment {
        let progress = timetable.progress(at: lapTime(seconds))
        let place = road.place(at: progress.distance)
        let coordinate = frame.coordinate(east: place.east, north: place.north) ?? start
        let (height, slope) = relief.height(at: progress.distance)
        return Moment(
            coordinate: coordinate, speed: progress.speed,
            // North is in another direction there than at the start.
            direction: LocalFrame(at: coordinate).bearing(of: frame.direction(bearing: place.bearing)),
            altitude: middleAltitude + height, climb: slope * progress.speed, slope: slope)
    }

    private func lapTime(_ seconds: Double) -> Double {
        guard seconds.isFinite, timetable.duration.isFinite else { return 0 }
        let rest = fmod(seconds, timetable.duration)
        return rest < 0 ? rest + timetable.duration : rest
    }
}

/// What a receiver and a compass in the vehicle would report.
extension SimulatedDrive {
    /// The height of mean sea level (the geoid) above the ellipsoid, metres.
    package static let geoidSeparation = 47.0
    /// Degrees east of true north.
    package static let magneticVariation = 3.5

    /// The satellites in view at the given seconds after the start.
    package func satellites(at seconds: Double) -> [Satellite] {
        sky.satellites(over: frame, at: seconds.isFinite ? seconds : 0)
    }

    /// The fix at the given seconds after the start, without a timestamp.
    package func location(at seconds: Double, monotonicTime: BootInstant, source: SourceInformation) -> Location {
        let moment = moment(at: seconds)
        let satellites = satellites(at: seconds)
        let dilution = DilutionOfPrecision(of: satellites)
        // The error of one range, metres; houses and trees make it vary.
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

    /// The compass at the given seconds after the start; it also works while the vehicle stands still.
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
    /// Rounded to the usual resolution of receivers: nanodegrees for the coordinate, thousandths for everything else.
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
    /// The nearest number with this many decimal places; an angle that rounds up to `limit` becomes 0.
    fileprivate func rounded(toPlaces places: Int, below limit: Double = .infinity) -> Double {
        let scale = pow(10, Double(places))
        let value = (self * scale).rounded() / scale
        return value >= limit ? 0 : value
    }
}

/// A value that varies slowly and smoothly within -1...1: a function of time alone, so moments can be computed in any
/// order.
///
/// The sum of three sines whose periods, tens of seconds to minutes, have no small common multiple.
struct Wander: Sendable {
    private let phases: SIMD3<Double>

    init(using generator: inout SeededGenerator) {
        let turn = 0...2 * Double.pi
        phases = SIMD3(generator.number(in: turn), generator.number(in: turn), generator.number(in: turn))
    }

    /// The value at the given seconds.
    func value(at seconds: Double) -> Double {
        (sin(seconds / 6.1 + phases.x) + sin(seconds / 23.7 + phases.y) + sin(seconds / 89.3 + phases.z)) / 3
    }
}

/// East, north and up at a place, as directions in space: a flat map of the surroundings that is exact at the poles and
/// at the antimeridian.
///
/// Space is Earth-centred and Earth-fixed, in metres. Ellipsoid: WGS 84. Lengths on the map are accurate to a few
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

    /// The coordinate at the given metres east and north of the origin.
    func coordinate(east metresEast: Double, north metresNorth: Double) -> Coordinate? {
        // Bowring (1976): one iteration is accurate to a fraction of a millimetre near the surface.
        let point = origin + metresEast * east + metresNorth * north
        let fromAxis = hypot(point.x, point.y)
        let parametric = atan2(point.z * Self.semiMajorAxis, fromAxis * Self.semiMinorAxis)
        let (sine, cosine) = (sin(parametric), cos(parametric))
        let secondEccentricitySquared = Self.eccentricitySquared / (1 - Self.eccentricitySquared)
        let latitude = atan2(
            point.z + secondEccentricitySquared * Self.semiMinorAxis * sine * sine * sine,
            fromAxis - Self.eccentricitySquared * Self.semiMajorAxis * cosine * cosine * cosine)
        let longitude = atan2(point.y, point.x)
        // π has no exact Double: a rounding error must not exceed the range.
        return Coordinate(
            latitude: max(-90, min(90, latitude * 180 / .pi)), longitude: max(-180, min(180, longitude * 180 / .pi)))
    }

    /// A bearing on this map as a direction in space; both are compass bearings in degrees.
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
