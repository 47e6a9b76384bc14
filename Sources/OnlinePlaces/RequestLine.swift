import LocationModel
import Places
import Synchronization

/// Lets one request at a time through, in the order of asking, no faster than the rate and not while the service asks
/// for none. Who gives up leaves the line; beyond `limit` waiting ones nobody is let in.
///
/// Ownership: the state lies behind one lock, which is held for moments.
final class RequestLine: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<PlacesError?, Never>
    }

    private struct State {
        var isTaken = false
        var waiting: [Waiter] = []
        var nextNumber: UInt64 = 0
        /// Set by the rate.
        var nextStart: BootInstant?
        /// Set by the service.
        var heldUntil: BootInstant?
    }

    private let interval: Double
    private let patience: Double
    private let limit: Int
    private let clock: OnlineClock
    private let state = Mutex(State())

    /// - Parameters:
    ///   - rate: Requests a second.
    ///   - patience: Seconds a request waits for the service to let it ask again; for longer it fails at once.
    init(rate: Double, patience: Double, limit: Int = 64, clock: OnlineClock) {
        interval = 1 / rate
        self.patience = patience
        self.limit = limit
        self.clock = clock
    }

    /// Who waits behind the request under way.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Lets no request begin for so many seconds; what has been asked for before and is longer stays.
    func hold(forSeconds seconds: Double) {
        let end = clock.now().advanced(bySeconds: seconds)
        state.withLock { $0.heldUntil = max(end, $0.heldUntil ?? end) }
    }

    /// Does the request when its turn has come.
    /// - Throws: ``PlacesError/busy(limit:)``, ``PlacesError/cancelled`` or, on hold, ``PlacesError/network(_:)``, or what
    ///   the request throws.
    func turn<Value>(_ request: () async throws(PlacesError) -> Value) async throws(PlacesError) -> Value {
        try await enter()
        defer { leave() }
        while let wait = try begin() {
            do { try await clock.sleep(wait) } catch { throw .cancelled }
        }
        return try await request()
    }

    private func enter() async throws(PlacesError) {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        let refusal = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: PlacesError?? = state.withLock { state in
                    if Task.isCancelled { return .some(.cancelled) }
                    guard state.isTaken else {
                        state.isTaken = true
                        return .some(nil)
                    }
                    guard state.waiting.count < limit else { return .some(.busy(limit: limit)) }
                    state.waiting.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
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
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: nil)
    }

    /// - Returns: Seconds to wait before asking again; `nil` to start now.
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
            throw .network("the service wants no request for another \(Int(held.rounded(.up))) s")
        }
        let wait = max(held, paced)
        return wait > 0 ? wait : nil
    }
}
