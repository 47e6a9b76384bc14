@_spi(Programs) import LocationModel
import ProgramTestSupport

/// A receiver that reports once a second, in a machine that is driven about.
struct Drive {
    private(set) var points: [Location] = []
    private(set) var coordinate: Coordinate
    private(set) var second = 0.0
    var noise = 0.0
    var source = SourceInformation(name: "gpsd")
    private var generator: SeededGenerator

    static let begin = UTCTime(seconds: 1_780_000_000)

    init(seed: UInt64 = 1, at coordinate: Coordinate) {
        self.coordinate = coordinate
        generator = SeededGenerator(seed: seed)
    }

    /// The machine's UTC at the newest location.
    var now: UTCTime { Self.begin.advanced(bySeconds: second) }

    mutating func stay(seconds: Int) {
        for _ in 0..<seconds { report(speed: 0, course: nil) }
    }

    /// - Parameters:
    ///   - speed: metres per second.
    ///   - bearing: degrees.
    ///   - turn: degrees each second.
    mutating func move(seconds: Int, speed: Double, bearing: Double, turn: Double = 0) {
        for step in 0..<seconds {
            let direction = bearing + turn * Double(step)
            coordinate = coordinate.coordinate(atDistance: speed, bearing: direction)
            report(
                speed: speed, course: (direction.remainder(dividingBy: 360) + 360).truncatingRemainder(dividingBy: 360))
        }
    }

    /// No location comes for this long.
    mutating func wait(seconds: Double) { second += seconds }

    private mutating func report(speed: Double, course: Double?) {
        second += 1
        let error = noise == 0 ? 0 : Double.random(in: 0...noise, using: &generator)
        let place = coordinate.coordinate(atDistance: error, bearing: Double.random(in: 0..<360, using: &generator))
        var location = Location(
            coordinate: place, mode: .threeDimensional, monotonicTime: BootInstant(seconds: 1000 + second),
            source: source)
        (location.horizontalAccuracy, location.speed, location.course) = (3, speed, course)
        location.timestamp = now
        points.append(location)
    }
}
