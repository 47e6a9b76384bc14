package import LocationModel
import SystemClock
import SystemSupport

/// The clock of an online provider; tests replace it.
package struct OnlineClock: Sendable {
    /// The clock of rates and time-outs.
    package var now: @Sendable () -> BootInstant
    /// The wall clock, for what outlives the process.
    package var utc: @Sendable () -> UTCTime
    /// Sleeps for so many seconds, or throws when the task is cancelled.
    package var sleep: @Sendable (Double) async throws -> Void

    package init(
        now: @escaping @Sendable () -> BootInstant, utc: @escaping @Sendable () -> UTCTime,
        sleep: @escaping @Sendable (Double) async throws -> Void
    ) {
        self.now = now
        self.utc = utc
        self.sleep = sleep
    }

    /// The machine's clocks.
    package static let system = OnlineClock(
        now: { MachineClock.now }, utc: { MachineClock.utc }, sleep: { try await Pause.sleep(for: .seconds($0)) })
}
