package import LocationModel
import SystemClock
import SystemSupport

/// The time, as an online provider knows it; a test puts a time of its own in its place.
package struct OnlineClock: Sendable {
    /// For rates and time-outs.
    package var now: @Sendable () -> BootInstant
    /// For what outlives the process.
    package var utc: @Sendable () -> UTCTime
    /// Waits so many seconds, or throws once the task is cancelled.
    package var sleep: @Sendable (Double) async throws -> Void

    package init(
        now: @escaping @Sendable () -> BootInstant, utc: @escaping @Sendable () -> UTCTime,
        sleep: @escaping @Sendable (Double) async throws -> Void
    ) {
        self.now = now
        self.utc = utc
        self.sleep = sleep
    }

    /// The machine's.
    package static let system = OnlineClock(
        now: { MachineClock.now }, utc: { MachineClock.utc }, sleep: { try await Pause.sleep(for: .seconds($0)) })
}
