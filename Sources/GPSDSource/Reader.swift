import Glibc
import LocationModel
import Machine

/// The work of the `gps-reader` thread: connect, talk, tell, and try again until woken.
///
/// Ownership: everything here is born, lives and dies on that thread; only the waker, the heartbeat and the two closures
/// are shared.
final class Reader {
    private let name: String
    private let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let waker: Waker
    private let heartbeat: Heartbeat
    private let count: @Sendable (String) -> Void
    private let deliver: @Sendable (SourceEvent) -> Void
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private var backoff = Backoff()
    private var anomalies = AnomalyLog()
    private var condition: SourceCondition?
    /// Why the connection before this one was given up, if it was for silence and nothing has been reported since.
    private var silence: String?

    init(
        name: String, endpoint: GPSDEndpoint, silenceTimeout: Double, waker: Waker, heartbeat: Heartbeat,
        count: @escaping @Sendable (String) -> Void, deliver: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.name = name
        self.endpoint = endpoint
        self.silenceTimeout = silenceTimeout
        self.waker = waker
        self.heartbeat = heartbeat
        self.count = count
        self.deliver = deliver
    }

    deinit {
        buffer.deallocate()
    }

    private var now: BootInstant { MachineClock.now }

    func run() {
        tell(.condition(.connecting(reason: nil)))
        while !waker.isWoken {
            switch GPSDSocket.connect(to: endpoint, waker: waker, heartbeat: heartbeat) {
            case .woken: return
            case .failed(let failure): rest(after: failure)
            case .connected(let socket):
                guard let failure = talk(over: socket) else { return }
                rest(after: failure)
            }
        }
    }

    /// Talks until the connection is of no more use.
    /// - Returns: why, or `nil` if woken.
    private func talk(over socket: borrowing GPSDSocket) -> ConnectionFailure? {
        var conversation = Conversation(
            source: name, endpoint: endpoint, silenceTimeout: silenceTimeout, at: now)
        var splitter = LineSplitter()
        while true {
            let patience = conversation.deadline.seconds(since: now)
            guard patience > 0 else { return conversation.failureAtDeadline }
            switch heartbeat.wait(waker, for: socket.descriptor, events: POLLIN, seconds: patience) {
            case .woken: return nil
            case .timedOut: continue
            case .ready: break
            }
            switch socket.read(into: buffer) {
            case .nothing: continue
            case .end: return conversation.failureAtEnd
            case .bytes(let size):
                if let failure = take(size, &splitter, &conversation, socket) { return failure }
            }
        }
    }

    private func take(
        _ size: Int, _ splitter: inout LineSplitter, _ conversation: inout Conversation,
        _ socket: borrowing GPSDSocket
    ) -> ConnectionFailure? {
        let arrival = now
        let overlong = splitter.overlong
        var steps: [Conversation.Step] = []
        splitter.take(UnsafeRawBufferPointer(rebasing: buffer[..<size])) { line in
            steps += conversation.take(line, at: arrival)
        }
        let dropped = repeatElement(
            Conversation.Step.count("overlong", example: []), count: splitter.overlong - overlong)
        for step in dropped + steps {
            switch step {
            case .tell(let event): tell(event)
            case .fail(let failure): return failure
            case .send(let line): if !socket.send(line) { return .closed }
            case .count(let kind, let example):
                count(kind)
                if let event = anomalies.note(kind, example: example, at: arrival) { deliver(event) }
            }
        }
        if conversation.isProductive {
            backoff.succeed()
            if silence != nil {
                silence = nil
                tell(.condition(.connected(reason: nil)))
            }
        }
        return nil
    }

    /// Tells why there is nothing, and waits a while. After silence the connection is opened anew at once: the wait
    /// has been long enough.
    private func rest(after failure: ConnectionFailure) {
        let reason = failure.reason(for: endpoint)
        if case .silent = failure {
            count("silences")
            silence = reason
            return tell(.condition(.connected(reason: reason)))
        }
        count("connectionFailures")
        let wait = backoff.fail(jitter: Double.random(in: 0..<1))
        silence = nil
        if backoff.isUnavailable {
            tell(.condition(.unavailable(reason: reason)))
        } else {
            tell(.condition(.connecting(reason: reason)))
        }
        _ = heartbeat.wait(waker, for: -1, events: 0, seconds: wait)
    }

    /// Conditions that did not change are no news. That a silent gpsd was connected to once more is none either, until
    /// it reports something.
    private func tell(_ event: SourceEvent) {
        guard case .condition(var new) = event else { return deliver(event) }
        if let silence, case .connected = new { new = .connected(reason: silence) }
        guard new != condition else { return }
        condition = new
        deliver(.condition(new))
    }
}
