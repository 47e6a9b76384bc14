package import LocationModel

/// What is remembered of one access point: about where it is, and since when.
package struct KnownAccessPoint: Sendable, Equatable {
    /// The mean of the places at which it was received, each weighted by how near to it that was.
    package var coordinate: Coordinate
    /// Metres: the root mean square of those places' distances from the mean, and of how far away it was at each.
    package var spread: Double
    /// The sum of the places' weights, which is bounded: newer places count although there were many.
    package var weight: Double
    /// How many places it was received at.
    package var count: Int
    /// Days since 1970-01-01, UTC, of the first time it was received about there, and of the last.
    package var firstDay: Int
    package var lastDay: Int
    /// How often it was received somewhere else than before.
    package var moves: Int
    /// Whether a service on the network has stated the place, of all that were received there together: it answers where nothing was
    /// learned, and is replaced by what is.
    package var isStated: Bool

    package init(
        coordinate: Coordinate, spread: Double, weight: Double, count: Int, firstDay: Int, lastDay: Int, moves: Int,
        isStated: Bool = false
    ) {
        (self.coordinate, self.spread, self.weight) = (coordinate, spread, weight)
        (self.count, self.firstDay, self.lastDay, self.moves) = (count, firstDay, lastDay, moves)
        self.isStated = isStated
    }

    /// One of those that were received together where a service on the network states the machine to be, to that accuracy in metres.
    package init(statedAt coordinate: Coordinate, accuracy: Double, day: Int) {
        self.init(
            coordinate: coordinate, spread: accuracy, weight: 1 / (accuracy * accuracy), count: 1, firstDay: day,
            lastDay: day, moves: 0, isStated: true)
    }

    /// One that is received for the first time, or somewhere else than before.
    package init(_ sighting: AccessPointSighting, moves: Int = 0) {
        self.init(
            coordinate: sighting.coordinate, spread: sighting.distance,
            weight: 1 / (sighting.distance * sighting.distance),
            count: 1, firstDay: sighting.day, lastDay: sighting.day, moves: moves)
    }

    /// Whether it may tell where the machine is.
    ///
    /// One that has moved must have been received at its new place on another day: it may be on wheels. One that has moved twice is.
    package var isTrusted: Bool { moves == 0 || moves == 1 && lastDay > firstDay }

    /// Metres beyond which it cannot have been received, if it is still where it was: farther than access points are heard outdoors,
    /// and little enough that an answer is never off by 500 m because of one.
    static let reach = 250.0
    private static let weightLimit = 0.5

    /// Whether the machine is so far from it that it must have moved.
    package func contradicts(_ sighting: AccessPointSighting) -> Bool {
        coordinate.distance(to: sighting.coordinate) > Self.reach + sighting.accuracy
    }

    /// With one more place, which does not contradict it.
    func adding(_ sighting: AccessPointSighting) -> KnownAccessPoint {
        let added = 1 / (sighting.distance * sighting.distance)
        let sum = weight + added
        let share = added / sum
        let offset = coordinate.distance(to: sighting.coordinate)
        let bearing = coordinate.initialBearing(to: sighting.coordinate) ?? 0
        // The variance of two groups together: that of each, and of their means.
        let variance =
            (1 - share) * spread * spread + share * sighting.distance * sighting.distance
            + share * (1 - share) * offset * offset
        var result = self
        result.coordinate = coordinate.coordinate(atDistance: share * offset, bearing: bearing)
        result.spread = variance.squareRoot()
        result.weight = min(sum, Self.weightLimit)
        result.count = min(count + 1, 1_000_000)
        result.lastDay = max(lastDay, sighting.day)
        return result
    }
}
