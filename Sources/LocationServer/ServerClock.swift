package import LocationModel
import SystemClock

/// What the service takes the time from, so that it can be driven without waiting.
package struct ServerClock: Sendable {
    /// The clock that ages and time-outs are computed on.
    package let now: @Sendable () -> BootInstant
    /// The wall clock, for the history.
    package let utc: @Sendable () -> UTCTime

    package init(now: @escaping @Sendable () -> BootInstant, utc: @escaping @Sendable () -> UTCTime) {
        self.now = now
        self.utc = utc
    }

    package static let machine = ServerClock(now: { MachineClock.now }, utc: { MachineClock.utc })
}
