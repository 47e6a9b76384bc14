import LocationModel
import SystemSupport

/// What a compass reports over all its connections: conditions, each once until it changes, and unusable data, each kind at most
/// once a minute.
struct CompassLog {
    private static let interval = 60.0

    private let count: (_ kind: String, _ number: Int) -> Void
    private let deliver: (SourceEvent) -> Void
    private var backoff = Backoff()
    private var condition: SourceCondition?
    private var noted: [String: (total: Int, logged: BootInstant)] = [:]

    init(count: @escaping (_ kind: String, _ number: Int) -> Void, deliver: @escaping (SourceEvent) -> Void) {
        self.count = count
        self.deliver = deliver
    }

    mutating func begin() {
        emit(.condition(.connecting(reason: nil)))
    }

    mutating func emit(_ event: SourceEvent) {
        switch event {
        case .condition(let new):
            guard new != condition else { return }
            condition = new
        case .heading: backoff.succeed()
        default: break
        }
        deliver(event)
    }

    /// Counts something unusable.
    mutating func note(_ kind: String, example: String, at now: BootInstant) {
        count(kind, 1)
        let known = noted[kind]
        let total = (known?.total ?? 0) + 1
        if let known, now.seconds(since: known.logged) < Self.interval {
            noted[kind] = (total, known.logged)
            return
        }
        noted[kind] = (total, now)
        deliver(.anomaly(kind: kind, total: total, example: example))
    }

    /// Reports a failure.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    /// - Returns: seconds to wait before the next attempt.
    mutating func fail(_ failure: CompassFailure, jitter: Double) -> Double {
        count("failures", 1)
        let wait = backoff.fail(jitter: jitter)
        let reason = failure.reason
        emit(.condition(backoff.isUnavailable ? .unavailable(reason: reason) : .connecting(reason: reason)))
        return wait
    }
}
