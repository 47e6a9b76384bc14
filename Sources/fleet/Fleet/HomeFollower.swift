@_spi(Programs) package import LocationModel

/// Whether the machine has come to rest at a place, of which a vehicle's home may be told. Pure.
///
/// Only a position counts that was measured just now, or told by access points, and that is good to
/// ``greatestAccuracy``; others neither begin nor end a rest.
package struct HomeFollower: Sendable {
    /// Where the machine rests.
    package struct Place: Sendable, Equatable {
        package let coordinate: Coordinate
        /// Metres above mean sea level.
        package let altitude: Double?
    }

    /// Metres: a home follows from this distance on.
    package static let leastDistance = 1000.0
    /// Seconds at rest.
    static let restTime = 600.0
    /// Metres that a machine at rest, such as a boat at anchor, may be away from where the rest has begun.
    static let restRadius = 100.0
    /// Metres per second, from which on a machine moves.
    static let leastSpeed = 2.0
    /// Metres.
    static let greatestAccuracy = 100.0

    private var rest: (begin: BootInstant, start: Coordinate)?
    /// Whether the home is known to be right for this rest.
    private var isSettled = false
    private var latest: Location?

    package init() {}

    /// - Parameter isReduced: whether the daemon tells the position on a coarse grid.
    package mutating func applyLocation(_ location: Location, isReduced: Bool) {
        guard !isReduced, !location.source.isSimulated, let accuracy = location.horizontalAccuracy,
            accuracy <= Self.greatestAccuracy, location.source.isMeasuredNow || location.source.method == .network
        else { return }
        latest = location
        let isStill = (location.speed ?? 0) < Self.leastSpeed
        if isStill, let rest, rest.start.distance(to: location.coordinate) <= Self.restRadius { return }
        rest = isStill ? (location.monotonicTime, location.coordinate) : nil
        isSettled = false
    }

    /// Where the machine has rested for long enough, until ``endFollowing()``.
    package var place: Place? {
        guard !isSettled, let rest, let latest, latest.monotonicTime.seconds(since: rest.begin) >= Self.restTime else {
            return nil
        }
        return Place(coordinate: latest.coordinate, altitude: latest.altitude)
    }

    /// The home is at the place, or near enough.
    package mutating func endFollowing() { isSettled = true }
}
