/// Single flight: of equal calls at the same time one runs, and those who want the same wait for its answer.
///
/// Only the bookkeeping, without threads: the owner makes the call, passes its answer to the waiters, and says what a
/// cancellation means. The places service waits in tasks, on any thread; LocationKit on its own thread, for calls with
/// more than one reply.
package struct SingleFlight<Key: Hashable, Caller: Hashable, Waiter> {
    private typealias Entry = (caller: Caller, waiter: Waiter)

    private var entries: [Key: [Entry]] = [:]
    /// The waiters of all calls.
    package private(set) var waiterCount = 0

    package init() {}

    /// - Returns: true if no equal call runs, so that the caller has to make it.
    package mutating func start(_ key: Key) -> Bool {
        guard entries[key] == nil else { return false }
        entries[key] = []
        return true
    }

    /// Adds a waiter to a running call.
    package mutating func join(_ key: Key, _ caller: Caller, _ waiter: Waiter) {
        entries[key]?.append((caller, waiter))
        waiterCount += 1
    }

    /// Removes a caller's waiters, which get no answer then.
    package mutating func leave(_ key: Key, _ caller: Caller) -> [Waiter] {
        guard var left = entries[key] else { return [] }
        let gone = left.filter { $0.caller == caller }
        left.removeAll { $0.caller == caller }
        entries[key] = left
        waiterCount -= gone.count
        return gone.map(\.waiter)
    }

    /// The waiters of a running call, in the order of their coming.
    package func waiters(for key: Key) -> [Waiter] { entries[key]?.map(\.waiter) ?? [] }

    /// Ends a call.
    /// - Returns: its waiters, in the order of their coming.
    package mutating func finish(_ key: Key) -> [Waiter] {
        let gone = entries.removeValue(forKey: key) ?? []
        waiterCount -= gone.count
        return gone.map(\.waiter)
    }
}
