/// Single flight: of equal calls at the same time one runs, and those who want the same wait for its answer.
///
/// Only the bookkeeping, without threads: the owner makes the call, passes its answer to the waiters, and says what a
/// cancellation means. The places service waits in tasks, on any thread; LocationKit on its own thread, for calls with
/// more than one reply.
@_spi(Programs) public struct SingleFlight<Key: Hashable, Caller: Hashable, Waiter, Call> {
    private struct Flight {
        let call: Call
        var waiters: [(caller: Caller, waiter: Waiter)] = []
    }

    private var flights: [Key: Flight] = [:]

    @_spi(Programs) public init() {}

    /// The waiters of all calls.
    @_spi(Programs) public var waiterCount: Int { flights.values.reduce(0) { $0 + $1.waiters.count } }

    /// The running call; `nil` if none runs.
    @_spi(Programs) public func call(for key: Key) -> Call? { flights[key]?.call }

    /// - Returns: true if no equal call runs, so that the caller has to make it.
    @_spi(Programs) public mutating func start(_ key: Key, _ call: @autoclosure () -> Call) -> Bool {
        guard flights[key] == nil else { return false }
        flights[key] = Flight(call: call())
        return true
    }

    /// Adds a waiter to a running call; without one it does nothing.
    @_spi(Programs) public mutating func join(_ key: Key, _ caller: Caller, _ waiter: Waiter) {
        flights[key]?.waiters.append((caller, waiter))
    }

    /// Removes a caller's waiters, which get no answer then.
    @_spi(Programs) public mutating func leave(_ key: Key, _ caller: Caller) -> [Waiter] {
        let gone = flights[key]?.waiters.filter { $0.caller == caller } ?? []
        flights[key]?.waiters.removeAll { $0.caller == caller }
        return gone.map(\.waiter)
    }

    /// The waiters of a running call, in the order of their coming.
    @_spi(Programs) public func waiters(for key: Key) -> [Waiter] { flights[key]?.waiters.map(\.waiter) ?? [] }

    /// Ends a call.
    /// - Returns: its waiters, in the order of their coming.
    @_spi(Programs) public mutating func finish(_ key: Key) -> [Waiter] {
        flights.removeValue(forKey: key)?.waiters.map(\.waiter) ?? []
    }
}
