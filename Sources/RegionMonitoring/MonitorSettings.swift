/// What a monitor supposes of the machine it watches over, and of its receiver.
package struct MonitorSettings: Sendable, Hashable {
    /// No faster does the machine come to a border, metres per second.
    package var topSpeed: Double
    /// How far a fix of unknown accuracy may be off, metres.
    package var assumedAccuracy: Double
    /// The receiver is left on where it would be needed again in less than this, seconds: to wake it takes as long.
    package var shortestPause: Double
    /// Where the border is near and the machine has been at rest for four times as long, there is a fix after so many
    /// seconds, so that an event may be told that much later.
    package var restPause: Double
    /// However far the nearest border is, there is a fix after so many seconds.
    package var longestPause: Double

    /// By default a fast train's speed, not an aircraft's.
    package init(
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
