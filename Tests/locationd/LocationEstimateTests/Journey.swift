import LocationEstimate
@_spi(Programs) import LocationModel
import ProgramTestSupport

/// A machine that moves as a test says, with a receiver whose errors a test gives, and an estimator that is told its
/// fixes.
struct Journey {
    private(set) var estimator = Estimator(.driving)
    /// Where the machine is.
    private(set) var place: Coordinate
    private(set) var now = BootInstant(seconds: 1000)
    private(set) var estimates: [Location] = []
    private var sequence: Int64 = 0
    var accuracy: Double? = 3

    init(latitude: Double = 47, longitude: Double = 8) {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("a valid place")
        }
        self.place = place
    }

    var last: Location? { estimates.last }

    /// The machine moves for so long, and its receiver tells a fix.
    ///
    /// - Parameters:
    ///   - error: of the receiver's position, metres to the east and the north.
    ///   - change: what else the receiver says.
    mutating func go(
        _ speed: Double, course: Double = 90, for seconds: Double = 1, error: (east: Double, north: Double) = (0, 0),
        _ change: (inout Location) -> Void = { _ in }
    ) {
        place = place.coordinate(atDistance: speed * seconds, bearing: course)
        now = now.advanced(bySeconds: seconds)
        let measured = place.coordinate(atDistance: error.north, bearing: 0).coordinate(
            atDistance: error.east, bearing: 90)
        var fix = Location(
            coordinate: measured, mode: .threeDimensional, monotonicTime: now,
            source: SourceInformation(name: "gpsd", device: "/dev/gps0"))
        sequence += 1
        fix.sequence = sequence
        fix.timestamp = UTCTime(seconds: 1_772_366_400, nanoseconds: 0).advanced(bySeconds: now.seconds)
        (fix.horizontalAccuracy, fix.accuracyBasis) = (accuracy, .stated)
        (fix.speed, fix.speedAccuracy, fix.course) = (speed, 0.2, course)
        change(&fix)
        estimates.append(estimator.apply(fix))
    }

    /// The machine moves for so long, and its receiver tells nothing.
    mutating func goUnseen(_ speed: Double, course: Double, for seconds: Double) {
        place = place.coordinate(atDistance: speed * seconds, bearing: course)
        now = now.advanced(bySeconds: seconds)
    }

    /// Errors that are independent from fix to fix, metres.
    static func errors(_ count: Int, _ deviation: Double, seed: UInt64 = 3) -> [(east: Double, north: Double)] {
        var generator = SeededGenerator(seed: seed)
        // A sum of twelve is nearly normal.
        func draw() -> Double {
            ((0..<12).reduce(0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) } - 6) * deviation
        }
        return (0..<count).map { _ in (draw(), draw()) }
    }

    /// Degrees between two directions.
    static func turned(_ one: Double, _ other: Double) -> Double {
        let difference = abs(one - other).truncatingRemainder(dividingBy: 360)
        return min(difference, 360 - difference)
    }

    /// A second later the machine is there; its receiver says no velocity.
    mutating func stand(at place: Coordinate, error: (east: Double, north: Double)) {
        self.place = place
        go(0, error: error) { ($0.speed, $0.speedAccuracy, $0.course) = (nil, nil, nil) }
    }

    /// Metres from the machine.
    func error(of location: Location?) -> Double { location.map { $0.coordinate.distance(to: place) } ?? .infinity }

    func predicted(after seconds: Double) -> Location? { estimator.predicted(at: now.advanced(bySeconds: seconds)) }
}
