import LocationModel

/// How long the machine has not moved from its place.
struct StationaryTimer: Sendable {
    private var place: Location?
    /// Seconds, by the last fix.
    private(set) var seconds = 0.0

    /// Metres within which a machine at rest may seem to move, however good its receiver.
    private static let allowance = 20.0

    mutating func applyFix(_ fix: Location, settings: MonitorSettings) {
        func accuracy(_ fix: Location) -> Double { fix.horizontalAccuracy ?? settings.assumedAccuracy }
        guard let place, place.monotonicTime <= fix.monotonicTime,
            place.coordinate.distance(to: fix.coordinate) <= max(Self.allowance, accuracy(place), accuracy(fix))
        else {
            (place, seconds) = (fix, 0)
            return
        }
        seconds = fix.monotonicTime.seconds(since: place.monotonicTime)
    }
}
