@_spi(Programs) import LocationModel

/// How long the machine has been stationary.
struct StationaryTimer: Sendable {
    private var place: Location?
    /// Seconds, as of the last fix.
    private(set) var seconds = 0.0

    /// Metres within which a stationary machine may seem to move, however accurate its receiver.
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
