@_spi(Programs) public import LocationModel

/// The clocks and timers of a program, as values that tests replace.
///
/// One type for the daemon, its sources and the places service; each uses what it needs of it. Swift's `Clock` protocol
/// does not fit, because every user needs the clock that counts through suspend *and* the wall clock, and a `Clock` has
/// one of them.
@_spi(Programs) public struct ServiceClock: Sendable {
    /// The monotonic clock that counts from boot, suspend included: for ages, rates and time-outs.
    @_spi(Programs) public let now: @Sendable () -> BootInstant
    /// The wall clock, for what outlives the process.
    @_spi(Programs) public let utc: @Sendable () -> UTCTime
    /// Waits at least this long; throws when the task is cancelled.
    @_spi(Programs) public let sleep: @Sendable (Duration) async throws -> Void
    /// Calls `body` once after so many seconds, from any thread, unless it is cancelled before.
    @_spi(Programs) public let after:
        @Sendable (_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> Pause.Cancellation

    /// Sleeps and timers are the machine's unless specified otherwise.
    @_spi(Programs) public init(
        now: @escaping @Sendable () -> BootInstant, utc: @escaping @Sendable () -> UTCTime,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Pause.sleep(for: $0) },
        after: @escaping @Sendable (Double, @escaping @Sendable () -> Void) -> Pause.Cancellation = {
            Pause.after($0, $1)
        }
    ) {
        self.now = now
        self.utc = utc
        self.sleep = sleep
        self.after = after
    }

    /// The machine's clocks.
    @_spi(Programs) public static let machine = ServiceClock(now: { MachineClock.now }, utc: { MachineClock.utc })
}

extension ServiceClock {
    /// Waits until `moment`; if it has passed, only yields once.
    @_spi(Programs) public func sleep(until moment: BootInstant) async throws {
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
    @_spi(Programs) public func sleepForEver() async {
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
