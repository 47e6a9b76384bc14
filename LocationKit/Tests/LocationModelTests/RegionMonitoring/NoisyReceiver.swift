import Glibc
@_spi(Programs) import LocationModel
import TestSupport

/// What a receiver tells of an itinerary: right within its accuracy 95 % of the time, by the normal distribution.
struct NoisyReceiver {
    let itinerary: Itinerary
    /// Metres.
    let accuracy: Double
    /// Whether it tells the speed.
    var tellsSpeed = true
    private var generator: SeededGenerator
    private var leg = 0

    static let epoch: Int64 = 1_772_366_400

    init(_ itinerary: Itinerary, accuracy: Double, seed: UInt64) {
        self.itinerary = itinerary
        self.accuracy = accuracy
        generator = SeededGenerator(seed: seed)
    }

    /// The fix so many seconds after the itinerary's begin; times do not go back.
    mutating func fix(at time: Double) -> Location {
        let leg = itinerary.leg(at: time, from: &leg)
        let gone = min(max(0, time - leg.begin), leg.end - leg.begin) * leg.speed
        // Rayleigh, whose 95 % lie within 2.4477 of its scale.
        let error = accuracy / 2.4477 * (-2 * log(Double.random(in: 1e-12...1, using: &generator))).squareRoot()
        let truth = gone > 0 ? leg.from.coordinate(atDistance: gone, bearing: leg.bearing) : leg.from
        var fix = Location(
            coordinate: truth.coordinate(atDistance: error, bearing: .random(in: 0..<360, using: &generator)),
            mode: .threeDimensional, monotonicTime: .at(time), source: SourceInformation(name: "gpsd"))
        fix.horizontalAccuracy = accuracy
        fix.timestamp = .at(time)
        if tellsSpeed { fix.speed = max(0, leg.speed + .random(in: -0.4...0.4, using: &generator)) }
        return fix
    }
}

extension BootInstant {
    /// So many seconds after an itinerary's begin.
    static func at(_ time: Double) -> BootInstant { BootInstant(seconds: 1000 + time) }
}

extension UTCTime {
    /// So many seconds after an itinerary's begin.
    static func at(_ time: Double) -> UTCTime {
        UTCTime(seconds: NoisyReceiver.epoch, nanoseconds: Int64((time * 1e9).rounded()))
    }

    /// Seconds since an itinerary's begin.
    var time: Double { seconds(since: .at(0)) }
}
