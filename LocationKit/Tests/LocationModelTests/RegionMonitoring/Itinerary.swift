@_spi(Programs) import LocationModel
import TestSupport

/// Where the machine truly is, as a function of the time: stays, and drives between them.
struct Itinerary: Sendable {
    /// Straight on from one place to another in a time, or nowhere.
    struct Leg: Sendable {
        var from: Coordinate
        var bearing = 0.0
        /// Metres.
        var length = 0.0
        /// Seconds since the itinerary's begin.
        var begin: Double
        var end: Double

        var isStay: Bool { length == 0 }
        var speed: Double { length / (end - begin) }
        var to: Coordinate { from.coordinate(atDistance: length, bearing: bearing) }
    }

    private(set) var legs: [Leg] = []
    private var place: Coordinate

    init(at start: Coordinate) { place = start }

    var end: Double { legs.last?.end ?? 0 }

    mutating func stay(_ seconds: Double) {
        legs.append(Leg(from: place, begin: end, end: end + seconds))
    }

    mutating func move(_ length: Double, bearing: Double, speed: Double) {
        let leg = Leg(from: place, bearing: bearing, length: length, begin: end, end: end + length / speed)
        legs.append(leg)
        place = leg.to
    }

    /// Stays of ten minutes and more, far from each other, and drives with bends and with stops too short to be visits.
    static func randomDay(using generator: inout SeededGenerator) -> Itinerary {
        let start = Coordinate(
            latitude: .random(in: -89...89, using: &generator), longitude: .random(in: -180...180, using: &generator))
        guard let start else { preconditionFailure("a valid place") }
        var day = Itinerary(at: start)
        for _ in 0..<Int.random(in: 2...4, using: &generator) {
            day.stay(.random(in: 600...14_400, using: &generator))
            // Bends of less than a right angle to either side: nothing comes back to where it was.
            let heading = Double.random(in: 0..<360, using: &generator)
            for _ in 0..<Int.random(in: 2...6, using: &generator) {
                day.move(
                    .random(in: 500...8000, using: &generator),
                    bearing: heading + .random(in: -60...60, using: &generator),
                    speed: .random(in: 4...35, using: &generator))
                if Bool.random(using: &generator) { day.stay(.random(in: 5...200, using: &generator)) }
            }
            day.move(600, bearing: heading, speed: 10)
        }
        day.stay(.random(in: 600...7200, using: &generator))
        return day
    }

    /// The leg of a moment; a day's first moments come first, so the search goes on from where the last one ended.
    func leg(at time: Double, from index: inout Int) -> Leg {
        while index < legs.count - 1, time >= legs[index].end { index += 1 }
        return legs[index]
    }
}
