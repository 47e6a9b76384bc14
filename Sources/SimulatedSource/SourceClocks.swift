package import LocationModel

/// The clocks of a source; a test injects its own.
package struct SourceClocks: Sendable {
    /// The wall clock.
    package var utc: @Sendable () -> UTCTime
    /// The monotonic clock.
    package var now: @Sendable () -> BootInstant
    /// Waits at least this long; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// Uses real sleep unless specified otherwise.
    package init(
        utc: @escaping @Sendable () -> UTCTime, now: @escaping @Sendable () -> BootInstant,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.utc = utc
        self.now = now
        self.sleep = sleep
    }

    /// Waits until `moment`; if it has passed, only yields once.
    func sleep(until moment: BootInstant) async throws {
        try Task.checkCancellation()
        guard moment > now() else { return await Task.yield() }
        repeat {
            // At most an hour at a time, because a computed wait may exceed what a timer accepts.
            let remaining = min(moment.seconds(since: now()), 3600)
            try await sleep(.nanoseconds(max(1, Int64((remaining * 1e9).rounded(.up)))))
            try Task.checkCancellation()
        } while moment > now()
    }

    /// Waits until the task is cancelled.
    func sleepForEver() async {
        do {
            while true {
                try Task.checkCancellation()
                try await sleep(.seconds(3600))
            }
        } catch {
            // Cancellation ends the wait.
        }
    }
}
