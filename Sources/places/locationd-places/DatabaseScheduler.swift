import Places
import ServiceServer
import Synchronization

/// Schedules the queries of the database: as many at a time as it has readers, one of each user if several wait, and
/// users take turns. So one user's many or long searches delay another user by at most one of them.
///
/// Ownership: everything is behind one lock; a waiter is resumed outside it, exactly once.
final class DatabaseScheduler: Sendable {
    private struct State {
        var running: [UInt32: Int] = [:]
        var waiting = FairQueue<(id: Int, waiter: CheckedContinuation<Bool, Never>)>()
        var nextID = 0
        /// Waiters that were cancelled before they could wait.
        var cancelled: Set<Int> = []

        var total: Int { running.values.reduce(0, +) }
    }

    /// The number of the database's readers.
    private static let limit = OfflinePlaces.readers

    private let state = Mutex(State())

    /// Runs the work when it is the user's turn.
    /// - Throws: `PlacesError.cancelled` if the task is cancelled before its turn.
    func run<Value: Sendable>(
        for uid: UInt32, _ work: () async throws(PlacesError) -> Value
    ) async throws(PlacesError) -> Value {
        guard await enter(uid) else { throw .cancelled }
        defer { leave(uid) }
        return try await work()
    }

    private func enter(_ uid: UInt32) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isDone: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return false }
                    if state.total < Self.limit, state.running[uid] == nil, state.waiting.isEmpty {
                        state.running[uid] = 1
                        return true
                    }
                    state.waiting.append((id, waiter), of: uid)
                    return nil
                }
                if let isDone { waiter.resume(returning: isDone) } else { wakeNext() }
            }
        } onCancel: {
            let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
                let waiter = state.waiting.remove(of: uid) { $0.id == id }?.waiter
                // It has its turn already, or does not wait yet.
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume(returning: false)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        return isTurn
    }

    private func leave(_ uid: UInt32) {
        state.withLock { state in
            let left = state.running[uid, default: 1] - 1
            state.running[uid] = left > 0 ? left : nil
        }
        wakeNext()
    }

    /// Wakes the next waiter: a user without a running query precedes one with it.
    private func wakeNext() {
        let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
            let running = state.running
            guard state.total < Self.limit, let (uid, next) = state.waiting.popFirst(where: { running[$0] == nil })
            else { return nil }
            state.running[uid, default: 0] += 1
            return next.waiter
        }
        waiter?.resume(returning: true)
    }
}
