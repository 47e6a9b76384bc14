@_spi(Programs) import LocationModel

/// Whether the machine is stationary, by the fixes of the followed receiver.
///
/// It is if its fixes have lain within ``radius``, and the fix's accuracy, of one place for ``delay``. A fix farther
/// away than that, or with a speed that is certainly above ``walkingSpeed``, begins anew; one less accurate than
/// ``accuracyLimit`` only ends it. A fix of unknown accuracy counts as one of that limit.
struct StationaryDetector {
    /// Metres: what a stationary receiver seems to move, however accurate it is.
    static let radius = 20.0
    /// Metres.
    static let accuracyLimit = 100.0
    /// Metres per second.
    static let walkingSpeed = 1.0
    /// The error of a speed whose accuracy is unknown, metres per second.
    static let assumedSpeedAccuracy = 1.0
    /// Seconds.
    static let delay = 60.0

    private var place: Location?
    /// Seconds from the first to the last fix at the present place; `nil` if there is none.
    private(set) var seconds: Double?

    var isStationary: Bool { seconds.map { $0 >= Self.delay } ?? false }

    mutating func applyFix(_ fix: Location) {
        let accuracy = fix.horizontalAccuracy ?? Self.accuracyLimit
        let isAccurate = accuracy <= Self.accuracyLimit
        if let place, place.monotonicTime <= fix.monotonicTime, !isMoving(fix), isNear(fix, to: place, accuracy) {
            if isAccurate { seconds = fix.monotonicTime.seconds(since: place.monotonicTime) }
        } else if isAccurate {
            (place, seconds) = (fix, 0)
        } else {
            forget()
        }
    }

    /// The machine may have moved since the last fix.
    mutating func forget() { self = StationaryDetector() }

    private func isMoving(_ fix: Location) -> Bool {
        guard let speed = fix.speed else { return false }
        return speed - (fix.speedAccuracy ?? Self.assumedSpeedAccuracy) > Self.walkingSpeed
    }

    private func isNear(_ fix: Location, to place: Location, _ accuracy: Double) -> Bool {
        let limit = Self.radius + max(accuracy, place.horizontalAccuracy ?? 0)
        // A degree of latitude has 110.57 to 111.7 km: most fixes of a moving machine need no geodesic.
        guard abs(fix.coordinate.latitude - place.coordinate.latitude) * 110_000 <= limit else { return false }
        return place.coordinate.distance(to: fix.coordinate) <= limit
    }
}
