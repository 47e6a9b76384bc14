/// A monitor's assumptions about the machine and its receiver.
@_spi(Programs) public struct MonitorSettings: Sendable, Hashable {
    /// The highest speed at which the machine approaches a border, metres per second.
    @_spi(Programs) public var topSpeed: Double
    /// The assumed uncertainty of a fix of unknown accuracy, metres.
    @_spi(Programs) public var assumedAccuracy: Double
    /// The receiver stays on if it is needed again in less than this, seconds, because waking it takes as long.
    @_spi(Programs) public var shortestPause: Double
    /// The longest pause near a border, seconds; allowed once the machine has been at rest for four times as long. An
    /// event may be reported late by as much.
    @_spi(Programs) public var restPause: Double
    /// The accuracy that suffices for the fix after a pause near no border, metres: it shortens the pause that follows
    /// by ``distantAccuracy`` / ``topSpeed``. The same whatever the distance, so that it tells nothing of it.
    @_spi(Programs) public var distantAccuracy: Double { 500 }
    /// The longest time between fixes, seconds, however far the nearest border is.
    @_spi(Programs) public var longestPause: Double

    /// By default the top speed is that of a fast train, not of an aircraft.
    @_spi(Programs) public init(
        topSpeed: Double = 100, assumedAccuracy: Double = 100, shortestPause: Double = 20, restPause: Double = 60,
        longestPause: Double = 900
    ) {
        self.topSpeed = topSpeed
        self.assumedAccuracy = assumedAccuracy
        self.shortestPause = shortestPause
        self.restPause = restPause
        self.longestPause = longestPause
    }
}
