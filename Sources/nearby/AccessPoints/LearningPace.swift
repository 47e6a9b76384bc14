package import LocationModel

/// Which locations teach: measured ones that are good, while the machine is slow enough for the scan to belong to them.
package struct LearningPace: Sendable {
    /// Metres, of a location that teaches, at most.
    package static let accuracy = 50.0
    /// Metres per second, at most.
    package static let speed = 10.0
    /// Seconds and metres, of which one has to be reached since the last location that taught.
    package static let (interval, distance) = (10.0, 10.0)
    /// Seconds between the location and the access points at most. At ``speed`` that is as far as ``accuracy``.
    package static let delay = 5.0

    /// Seconds and metres since the last location that taught, of which one has to be reached for a scan to be worth
    /// it: a receiver that stands still says something else each second.
    package static let (scanInterval, scanDistance) = (600.0, 30.0)

    private var last: (time: BootInstant, coordinate: Coordinate)?

    package init() {}

    /// Whether the location may teach at all: measured now by satellites, possible, good and slow.
    package static func isGood(_ location: Location) -> Bool {
        guard location.source.isMeasuredNow, location.source.method == .gnss, location.implausibility == nil,
            location.augmentation != .deadReckoning, let accuracy = location.horizontalAccuracy
        else { return false }
        return accuracy > 0 && accuracy <= Self.accuracy && (location.speed ?? 0) <= speed
    }

    /// Whether a good location is at a place of which not enough was received.
    package func wantsScan(at coordinate: Coordinate, _ time: BootInstant) -> Bool {
        guard let last else { return true }
        return time.seconds(since: last.time) >= Self.scanInterval
            || last.coordinate.distance(to: coordinate) >= Self.scanDistance
    }

    /// Whether a good location teaches now; then the next has to wait.
    package mutating func admit(_ coordinate: Coordinate, at time: BootInstant) -> Bool {
        if let last, time.seconds(since: last.time) < Self.interval,
            last.coordinate.distance(to: coordinate) < Self.distance
        {
            return false
        }
        last = (time, coordinate)
        return true
    }
}
