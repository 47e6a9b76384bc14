@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// A source's exchange with gpsd over all its connections, without socket, thread and clock: received bytes and
/// failures go in, events come out.
struct GPSDLink {
    private let endpoint: GPSDEndpoint
    private let count: (String) -> Void
    private let deliver: (SourceEvent) -> Void
    private let needsSatellites: () -> Bool
    private var backoff = Backoff()
    private var anomalies = AnomalyLog()
    private var condition: SourceCondition?
    /// Why the previous connection was closed, if for silence and nothing has been reported since.
    private var silence: String?

    init(
        endpoint: GPSDEndpoint, count: @escaping (String) -> Void, needsSatellites: @escaping () -> Bool = { true },
        deliver: @escaping (SourceEvent) -> Void
    ) {
        self.endpoint = endpoint
        self.count = count
        self.needsSatellites = needsSatellites
        self.deliver = deliver
    }

    mutating func begin() {
        emit(.condition(.connecting(reason: nil)))
    }

    /// Processes bytes received on a connection.
    ///
    /// - Parameter send: sends to gpsd; false if that fails.
    /// - Returns: why the connection has to be closed, or `nil`.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ splitter: inout LineSplitter, _ conversation: inout Conversation,
        at arrival: BootInstant, send: (String) -> Bool
    ) -> ConnectionFailure? {
        var failure: ConnectionFailure?
        let needsSatellites = needsSatellites()
        // Line by line, so that a fix does not wait for the sky view that arrives with it.
        splitter.split(bytes) { line in
            for step in conversation.receive(line, needsSatellites: needsSatellites, at: arrival)
            where failure == nil {
                failure = carryOut(step, at: arrival, send: send)
            }
        } overlong: {
            note("overlong", example: [], at: arrival)
        }
        if let failure { return failure }
        if conversation.isProductive {
            backoff.succeed()
            if silence != nil {
                silence = nil
                emit(.condition(.connected(reason: nil)))
            }
        }
        return nil
    }

    /// - Returns: why the connection has to be closed, or `nil`.
    private mutating func carryOut(
        _ step: Conversation.Step, at arrival: BootInstant, send: (String) -> Bool
    ) -> ConnectionFailure? {
        switch step {
        case .emit(let event): emit(event)
        case .fail(let failure): return failure
        case .send(let line): if !send(line) { return .closed }
        case .count(let kind, let example): note(kind, example: example, at: arrival)
        }
        return nil
    }

    private mutating func note(_ kind: String, example: [UInt8], at arrival: BootInstant) {
        count(kind)
        if let event = anomalies.note(kind, example: example, at: arrival) { deliver(event) }
    }

    /// Reports a failure.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    /// - Returns: seconds to wait before the next attempt. After silence the connection is reopened at once, because
    ///   the time-out was long enough.
    mutating func fail(_ failure: ConnectionFailure, jitter: Double) -> Double {
        let reason = failure.reason(for: endpoint)
        if case .silent(_, let devices) = failure {
            count("silences")
            silence = reason
            emit(.condition(devices.isEmpty ? .unavailable(reason: reason) : .connected(reason: reason)))
            return 0
        }
        count("connectionFailures")
        let wait = backoff.fail(jitter: jitter)
        silence = nil
        if backoff.isUnavailable {
            emit(.condition(.unavailable(reason: reason)))
        } else {
            emit(.condition(.connecting(reason: reason)))
        }
        return wait
    }

    /// Unchanged conditions are not reported. Nor is another connection to a silent gpsd, until it reports something.
    private mutating func emit(_ event: SourceEvent) {
        guard case .condition(var new) = event else { return deliver(event) }
        if let silence {
            if case .connected = new { new = .connected(reason: silence) } else { new = .unavailable(reason: silence) }
        }
        guard new != condition else { return }
        condition = new
        deliver(.condition(new))
    }
}
