import Synchronization

/// The heartbeats of threads, for a watchdog.
///
/// Ownership: threads beat, and the watchdog checks, each under one lock that is held only briefly. The clock stops
/// during suspend, because suspend is not a fault of a thread.
@_spi(Programs) public final class Heartbeats: Sendable {
    private struct Entry {
        let thread: String
        var deadline: SuspendingClock.Instant
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var next = 0
    }

    /// Seconds in which each thread has to beat again; `nil` if there is no watchdog, so no thread has to wake up for
    /// it.
    @_spi(Programs) public let interval: Double?
    private let state = Mutex(State())

    @_spi(Programs) public init(interval: Double?) {
        self.interval = interval
    }

    /// Without a watchdog.
    @_spi(Programs) public static let unwatched = Heartbeats(interval: nil)

    /// From now on a thread has to beat, until the returned object is released.
    @_spi(Programs) public func begin(_ thread: String, at now: SuspendingClock.Instant = .now) -> Heartbeat {
        let number = state.withLock { state in
            state.next += 1
            if let interval {
                state.entries[state.next] = Entry(thread: thread, deadline: now.advanced(by: .seconds(interval)))
            }
            return state.next
        }
        return Heartbeat(number: number, beats: self)
    }

    /// The name of a thread whose heartbeat is overdue; `nil` if there is none.
    @_spi(Programs) public func overdue(at now: SuspendingClock.Instant = .now) -> String? {
        state.withLock { $0.entries.values.first { $0.deadline < now }?.thread }
    }

    fileprivate func beat(_ number: Int, deadline: SuspendingClock.Instant) {
        state.withLock { $0.entries[number]?.deadline = deadline }
    }

    fileprivate func end(_ number: Int) {
        state.withLock { $0.entries[number] = nil }
    }
}

/// One thread's heartbeat, which is no longer expected once this object is released.
@_spi(Programs) public final class Heartbeat: Sendable {
    private let number: Int
    private let beats: Heartbeats

    fileprivate init(number: Int, beats: Heartbeats) {
        self.number = number
        self.beats = beats
    }

    deinit { beats.end(number) }

    /// Records that the thread is alive; its next beat is due in time, or within the given seconds if that is longer.
    @_spi(Programs) public func beat(within seconds: Double = 0, at now: SuspendingClock.Instant = .now) {
        guard let interval = beats.interval else { return }
        beats.beat(number, deadline: now.advanced(by: .seconds(max(interval, seconds))))
    }

    /// Like ``Waker/wait(for:events:seconds:)``, beating meanwhile.
    @_spi(Programs) public func wait(_ waker: Waker, for other: Int32, events: Int32, seconds: Double) -> Waker.Wait {
        guard let interval = beats.interval else { return waker.wait(for: other, events: events, seconds: seconds) }
        let end = SuspendingClock.now.advanced(by: .seconds(seconds))
        while true {
            let now = SuspendingClock.now
            beat(at: now)
            let left = now.duration(to: end) / .seconds(1)
            // Twice as often as necessary, because a busy machine may delay the thread.
            let wait = waker.wait(for: other, events: events, seconds: min(left, interval / 2))
            guard case .timedOut = wait, left > interval / 2 else { return wait }
        }
    }
}
