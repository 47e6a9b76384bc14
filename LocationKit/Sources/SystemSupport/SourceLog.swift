@_spi(Programs) public import LocationModel

/// What a source reports over all its connections: conditions, each once until it changes, and unusable data, each kind
/// at most once a minute.
@_spi(Programs) public struct SourceLog {
    private let count: (_ kind: String, _ number: Int) -> Void
    private let deliver: (SourceEvent) -> Void
    private var backoff = Backoff()
    private var condition: SourceCondition?
    private var noted: [String: (total: Int, pace: LogPace)] = [:]

    @_spi(Programs) public init(
        count: @escaping (_ kind: String, _ number: Int) -> Void, deliver: @escaping (SourceEvent) -> Void
    ) {
        self.count = count
        self.deliver = deliver
    }

    @_spi(Programs) public mutating func begin() {
        emit(.condition(.connecting(reason: nil)))
    }

    @_spi(Programs) public mutating func emit(_ event: SourceEvent) {
        switch event {
        case .condition(let new):
            guard new != condition else { return }
            condition = new
        case .heading, .fix: backoff.succeed()
        default: break
        }
        deliver(event)
    }

    /// Counts something unusable.
    @_spi(Programs) public mutating func note(_ kind: String, example: String, at now: BootInstant) {
        count(kind, 1)
        var known = noted[kind] ?? (0, LogPace())
        known.total += 1
        let isDue = known.pace.note(at: now) != nil
        noted[kind] = known
        if isDue { deliver(.anomaly(kind: kind, total: known.total, example: example)) }
    }

    /// Reports a failure.
    ///
    /// - Parameters:
    ///   - reason: in words, with what to do.
    ///   - jitter: 0..<1, drawn by the caller.
    /// - Returns: seconds to wait before the next attempt.
    @_spi(Programs) public mutating func fail(reason: String, jitter: Double) -> Double {
        count("failures", 1)
        let wait = backoff.fail(jitter: jitter)
        emit(.condition(backoff.isUnavailable ? .unavailable(reason: reason) : .connecting(reason: reason)))
        return wait
    }
}
