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
    /// How often it was somewhere else than before: 2 also for one that was received at three places.
    package var moves: Int
    /// Where else it was received last; `nil` once that or its own place is confirmed on another day.
    package var candidate: PlaceCandidate?
    /// Whether a service on the network has stated the place, of all that were received there together: it answers
    /// where nothing was learned, and is replaced by what is.
    package var isStated: Bool

    package init(
        coordinate: Coordinate, spread: Double, weight: Double, count: Int, firstDay: Int, lastDay: Int, moves: Int,
        candidate: PlaceCandidate? = nil, isStated: Bool = false
    ) {
        (self.coordinate, self.spread, self.weight) = (coordinate, spread, min(weight, Self.weightLimit))
        (self.count, self.firstDay, self.lastDay, self.moves) = (count, firstDay, lastDay, min(moves, 2))
        (self.candidate, self.isStated) = (candidate, isStated)
    }

    /// One of those that were received together where a service on the network states the machine to be, to that
    /// accuracy in metres.
    package init(statedAt coordinate: Coordinate, accuracy: Double, day: Int) {
        self.init(
            coordinate: coordinate, spread: accuracy, weight: 1 / (accuracy * accuracy), count: 1, firstDay: day,
            lastDay: day, moves: 0, isStated: true)
    }

    /// One that is received for the first time.
    package init(_ sighting: AccessPointSighting) { self.init(PlaceCandidate(sighting), moves: 0) }

    /// One that is at another place from now on.
    private init(_ place: PlaceCandidate, moves: Int) {
        self.init(
            coordinate: place.coordinate, spread: place.spread, weight: 1 / (place.spread * place.spread), count: 1,
            firstDay: place.day, lastDay: place.day, moves: moves)
    }

    /// The last day on which it was received anywhere.
    package var lastReceptionDay: Int { max(lastDay, candidate?.day ?? lastDay) }

    /// Whether it may tell where the machine is.
    ///
    /// One that has moved must have been received at its new place on another day: it may be on wheels. One that has
    /// moved twice is.
    package var isTrusted: Bool { moves == 0 || moves == 1 && lastDay > firstDay }

    /// Days at its place, and nowhere else, after which one that has moved twice is not on wheels.
    static let rest = 7

    /// Metres beyond which it cannot have been received, if it is still where it was: farther than access points are
    /// heard outdoors, and little enough that an answer is never off by 500 m because of one.
    static let reach = 250.0
    private static let weightLimit = 0.5

    /// Whether the machine is so far from it that it must have moved.
    package func contradicts(_ sighting: AccessPointSighting) -> Bool { Self.isApart(coordinate, sighting) }

    private static func isApart(_ coordinate: Coordinate, _ sighting: AccessPointSighting) -> Bool {
        coordinate.distance(to: sighting.coordinate) > reach + sighting.accuracy
    }

    /// After it was received at one more place.
    ///
    /// One contradiction replaces nothing, for somebody may have sent its address there. It has moved if it is received
    /// at the new place on two days, and at its own on neither.
    func learning(_ sighting: AccessPointSighting) -> KnownAccessPoint {
        guard contradicts(sighting) else {
            var result = adding(sighting)
            if sighting.day - (candidate?.day ?? firstDay) >= (moves > 1 ? Self.rest : 1) {
                (result.candidate, result.moves) = (nil, min(moves, 1))
            }
            return result
        }
        var result = self
        if let candidate, !Self.isApart(candidate.coordinate, sighting) {
            guard sighting.day > candidate.day else { return self }
            if lastDay < candidate.day { return KnownAccessPoint(candidate, moves: moves + 1).adding(sighting) }
        } else if candidate != nil {
            // Received at a third place it is on wheels.
            result.moves = 2
        }
        result.candidate = PlaceCandidate(sighting)
        return result
    }

    /// After somebody has stated where it is.
    func stated(_ sighting: AccessPointSighting) -> KnownAccessPoint {
        guard !contradicts(sighting) else { return KnownAccessPoint(sighting) }
        var result = adding(sighting)
        (result.candidate, result.moves) = (nil, 0)
        return result
    }

    /// With one more place, which does not contradict it.
    func adding(_ sighting: AccessPointSighting) -> KnownAccessPoint {
        let added = 1 / (sighting.distance * sighting.distance)
        let sum = weight + added
        let share = added / sum
        let offset = coordinate.distance(to: sighting.coordinate)
        let bearing = coordinate.initialBearing(to: sighting.coordinate) ?? 0
        // The variance of two groups together is the weighted mean of their variances, plus the variance of their
        // means.
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

/// Another place of a known access point, as it was first received there.
package struct PlaceCandidate: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Metres from the coordinate within which the access point probably is.
    package var spread: Double
    /// Days since 1970-01-01, UTC.
    package var day: Int

    package init(coordinate: Coordinate, spread: Double, day: Int) {
        (self.coordinate, self.spread, self.day) = (coordinate, spread, day)
    }

    init(_ sighting: AccessPointSighting) {
        self.init(coordinate: sighting.coordinate, spread: sighting.distance, day: sighting.day)
    }
}
