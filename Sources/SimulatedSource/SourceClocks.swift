package import LocationModel

/// The clocks a source lives by; a test gives it its own.
package struct SourceClocks: Sendable {
    /// The wall clock.
    package var utc: @Sendable () -> UTCTime
    /// The clock that never jumps.
    package var now: @Sendable () -> BootInstant
    /// Waits at least so long; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// Real sleep unless said otherwise.
    package init(
        utc: @escaping @Sendable () -> UTCTime, now: @escaping @Sendable () -> BootInstant,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.utc = utc
        self.now = now
        self.sleep = sleep
    }

    /// Waits until `moment`. A moment that has passed costs one turn for others, no more.
    func sleep(until moment: BootInstant) async throws {
        try Task.checkCancellation()
        guard moment > now() else { return await Task.yield() }
        repeat {
            // At most an hour at a time: what a caller computed may be far beyond what a timer takes.
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
            // Cancelled, which is what it waits for.
        }
    }
}
