import LocationModel
import SystemSupport

/// A source's dealings with gpsd over all its connections, without socket, thread and clock: what was read and what went
/// wrong go in, events come out.
struct GPSDLink {
    private let endpoint: GPSDEndpoint
    private let count: (String) -> Void
    private let deliver: (SourceEvent) -> Void
    private var backoff = Backoff()
    private var anomalies = AnomalyLog()
    private var condition: SourceCondition?
    /// Why the connection before this one was given up, if it was for silence and nothing has been reported since.
    private var silence: String?

    init(endpoint: GPSDEndpoint, count: @escaping (String) -> Void, deliver: @escaping (SourceEvent) -> Void) {
        self.endpoint = endpoint
        self.count = count
        self.deliver = deliver
    }

    mutating func begin() {
        emit(.condition(.connecting(reason: nil)))
    }

    /// Takes what was read from a connection.
    ///
    /// - Parameter send: sends to gpsd; false if that fails.
    /// - Returns: why the connection is of no more use, or `nil`.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ splitter: inout LineSplitter, _ conversation: inout Conversation,
        at arrival: BootInstant, send: (String) -> Bool
    ) -> ConnectionFailure? {
        var failure: ConnectionFailure?
        // Each line by itself: a fix does not wait for the sky that comes with it.
        splitter.split(bytes) { line in
            for step in conversation.receive(line, at: arrival) where failure == nil {
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

    /// - Returns: why the connection is of no more use, or `nil`.
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

    /// Tells why there is nothing.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    /// - Returns: seconds to rest before the next try. After silence the connection is opened anew at once: the wait has
    ///   been long enough.
    mutating func fail(_ failure: ConnectionFailure, jitter: Double) -> Double {
        let reason = failure.reason(for: endpoint)
        if case .silent = failure {
            count("silences")
            silence = reason
            emit(.condition(.connected(reason: reason)))
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

    /// Conditions that did not change are no news. That a silent gpsd was connected to once more is none either, until
    /// it reports something.
    private mutating func emit(_ event: SourceEvent) {
        guard case .condition(var new) = event else { return deliver(event) }
        if let silence, case .connected = new { new = .connected(reason: silence) }
        guard new != condition else { return }
        condition = new
        deliver(.condition(new))
    }
}
