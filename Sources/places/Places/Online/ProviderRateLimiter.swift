@_spi(Programs) import LocationModel
import Synchronization
@_spi(Programs) import SystemSupport

/// Lets one request through at a time, limited by the rate, and none while the service asks for a pause. Users take
/// turns, the one with the least recent turn first; requests of one user keep their order. A cancelled request leaves
/// the queue. When `limit` requests wait, a new one displaces the last request of the user with the most, if that user
/// has more waiting.
///
/// Ownership: the state is behind one lock, which is held briefly.
final class ProviderRateLimiter: Sendable {
    private struct Waiter {
        let number: UInt64
        let uid: UInt32
        let continuation: CheckedContinuation<PlacesError?, Never>
    }

    private struct State {
        var isBusy = false
        var waiting: [Waiter] = []
        var nextNumber: UInt64 = 0
        /// The number of the last turn of each user; empty while the queue is.
        var turns: [UInt32: UInt64] = [:]
        var turnCount: UInt64 = 0
        /// Determined by the rate.
        var nextStart: BootInstant?
        /// Requested by the service.
        var heldUntil: BootInstant?

        mutating func startTurn(_ uid: UInt32) {
            turnCount += 1
            turns[uid] = turnCount
            isBusy = true
        }

        mutating func next() -> Waiter? {
            let order = waiting.indices.min { one, other in
                let (mine, theirs) = (turns[waiting[one].uid] ?? 0, turns[waiting[other].uid] ?? 0)
                return mine != theirs ? mine < theirs : waiting[one].number < waiting[other].number
            }
            guard let order else {
                isBusy = false
                turns = [:]
                return nil
            }
            startTurn(waiting[order].uid)
            return waiting.remove(at: order)
        }

        /// Removes the last request of the user with the most, if that is more than `uid` would have.
        mutating func makeRoom(for uid: UInt32) -> Waiter? {
            let counts = Dictionary(grouping: waiting, by: \.uid).mapValues(\.count)
            guard let (greediest, count) = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
                count > (counts[uid] ?? 0) + 1, let last = waiting.lastIndex(where: { $0.uid == greediest })
            else { return nil }
            return waiting.remove(at: last)
        }
    }

    private let interval: Double
    private let patience: Double
    private let limit: Int
    private let clock: ServiceClock
    private let state = Mutex(State())

    /// - Parameters:
    ///   - rate: Requests a second.
    ///   - patience: The longest pause of the service that a request waits for, seconds; in a longer one it fails at
    ///     once.
    init(rate: Double, patience: Double, limit: Int = 64, clock: ServiceClock) {
        interval = 1 / rate
        self.patience = patience
        self.limit = limit
        self.clock = clock
    }

    /// The number of requests that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Starts no request for so many seconds; a longer pause that was set before stays.
    func hold(forSeconds seconds: Double) {
        let end = clock.now().advanced(bySeconds: seconds)
        state.withLock { $0.heldUntil = max(end, $0.heldUntil ?? end) }
    }

    /// Runs the request when its turn has come.
    /// - Parameter uid: the querying user.
    /// - Throws: ``PlacesError/busy(limit:)``, ``PlacesError/cancelled``, during a pause ``PlacesError/network(_:)``,
    ///   or the request's own error.
    func turn<Value>(
        of uid: UInt32, _ request: () async throws(PlacesError) -> Value
    ) async throws(PlacesError) -> Value {
        try await enter(uid)
        defer { leave() }
        while let wait = try begin() {
            do { try await clock.sleep(.seconds(wait)) } catch { throw .cancelled }
        }
        return try await request()
    }

    private func enter(_ uid: UInt32) async throws(PlacesError) {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        let refusal = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, removed): (PlacesError??, Waiter?) = state.withLock { state in
                    if Task.isCancelled { return (.some(.cancelled), nil) }
                    guard state.isBusy else {
                        state.startTurn(uid)
                        return (.some(nil), nil)
                    }
                    var removed: Waiter?
                    if state.waiting.count >= limit {
                        removed = state.makeRoom(for: uid)
                        if removed == nil { return (.some(.busy(limit: limit)), nil) }
                    }
                    state.waiting.append(Waiter(number: number, uid: uid, continuation: continuation))
                    return (nil, removed)
                }
                if let answer { continuation.resume(returning: answer) }
                removed?.continuation.resume(returning: .busy(limit: limit))
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
        if let refusal { throw refusal }
    }

    private func leave() {
        let next = state.withLock { $0.next() }
        next?.continuation.resume(returning: nil)
    }

    /// - Returns: Seconds to wait before trying again; `nil` to start now.
    private func begin() throws(PlacesError) -> Double? {
        if Task.isCancelled { throw .cancelled }
        let now = clock.now()
        let (held, paced) = state.withLock { state in
            let held = state.heldUntil.map { $0.seconds(since: now) } ?? 0
            let paced = state.nextStart.map { $0.seconds(since: now) } ?? 0
            if held <= 0, paced <= 0 { state.nextStart = now.advanced(bySeconds: interval) }
            return (held, paced)
        }
        if held > patience {
            throw .network("the service accepts no requests for another \(Int(held.rounded(.up))) s")
        }
        let wait = max(held, paced)
        return wait > 0 ? wait : nil
    }
}
