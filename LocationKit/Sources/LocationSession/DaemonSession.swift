@_spi(Programs) public import LocationModel

/// A reply of a call that has many.
@_spi(Programs) public protocol SessionAnswer: Sendable {
    /// Whether it is the last one of a daemon that says that it stops, so that its end is no outage by itself.
    var isStopping: Bool { get }
    /// Removes a fix that was delivered before.
    mutating func removeSeenFix(_ seen: inout SeenFixes)
}

extension SessionAnswer {
    @_spi(Programs) public mutating func removeSeenFix(_: inout SeenFixes) {}
}

/// One call of the daemon that has many replies, over all of its connections: a watch, a monitor, the requests of a
/// user.
///
/// It does no I/O and has no clock: each input carries the time and returns the steps for its driver, in order.
/// Whatever goes wrong, also a refusal, is tried again; the owner closes what need not be.
@_spi(Programs) public struct DaemonSession<Answer: SessionAnswer, Failure: Sendable>: Sendable {
    @_spi(Programs) public enum Event: Sendable {
        case answer(Answer)
        /// The connection is lost, could not be made, or was refused. An outage begins with the first, and ends with an
        /// answer.
        case failed(Failure, isFirst: Bool)
    }

    @_spi(Programs) public enum Step: Sendable {
        /// Connect, and send the call.
        case connect
        /// Close the connection if there is one. Nothing more of it is an input.
        case disconnect
        case deliver(Event)
    }

    private enum Phase {
        case closed
        /// The next attempt is due; the last one has ended at `since`.
        case waiting(until: BootInstant, since: BootInstant)
        /// The first reply is due.
        case called(until: BootInstant)
        case streaming
    }

    private let silence: Failure
    private let random: @Sendable () -> Double
    private var phase = Phase.closed
    private var pause = SessionPause()
    private var seen = SeenFixes()
    /// Why there is an outage; `nil` while there is none.
    @_spi(Programs) public private(set) var failure: Failure?

    /// - Parameters:
    ///   - silence: the failure of a daemon that does not answer in time.
    ///   - random: draws a number in 0..<1.
    @_spi(Programs) public init(
        silence: Failure, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (self.silence, self.random) = (silence, random)
    }

    /// Whether the daemon has answered, and the connection persists.
    @_spi(Programs) public var isStreaming: Bool { if case .streaming = phase { true } else { false } }

    private var hasConnection: Bool {
        switch phase {
        case .closed, .waiting: false
        case .called, .streaming: true
        }
    }

    /// Begins, or makes another call in place of the present one, without a pause.
    @_spi(Programs) public mutating func open(at now: BootInstant) -> [Step] {
        seen = SeenFixes()
        let steps: [Step] = hasConnection ? [.disconnect] : []
        return steps + connect(at: now)
    }

    @_spi(Programs) public mutating func close() -> [Step] {
        defer { (phase, failure) = (.closed, nil) }
        return hasConnection ? [.disconnect] : []
    }

    private mutating func connect(at now: BootInstant) -> [Step] {
        phase = .called(until: now.advanced(bySeconds: SessionPause.patience))
        return [.connect]
    }

    /// When ``advance(to:)`` is to be called; `nil` if only an input changes anything.
    @_spi(Programs) public var deadline: BootInstant? {
        switch phase {
        case .waiting(let moment, _), .called(let moment): moment
        case .closed, .streaming: nil
        }
    }

    /// Time has passed.
    @_spi(Programs) public mutating func advance(to now: BootInstant) -> [Step] {
        guard let deadline, deadline <= now else { return [] }
        return hasConnection ? lose(silence, at: now) : connect(at: now)
    }

    /// Somebody wants an answer who has not waited yet: a long pause ends now.
    @_spi(Programs) public mutating func hurry(at now: BootInstant) {
        guard case .waiting(let moment, let since) = phase else { return }
        let earliest = max(now, since.advanced(bySeconds: SessionPause.first))
        phase = .waiting(until: min(moment, earliest), since: since)
    }

    /// A reply has come.
    ///
    /// - Parameter ending: the failure that the end of the call is; `nil` if more replies follow.
    @_spi(Programs) public mutating func receive(_ answer: Answer, ending: Failure?, at now: BootInstant) -> [Step] {
        guard hasConnection else { return [] }
        (phase, failure) = (.streaming, nil)
        pause.reset()
        var answer = answer
        answer.removeSeenFix(&seen)
        let delivery = Step.deliver(.answer(answer))
        guard let ending else { return [delivery] }
        guard answer.isStopping else { return [delivery] + lose(ending, at: now) }
        wait(at: now)
        return [delivery, .disconnect]
    }

    /// The connection has ended, could not be made, or the call was refused.
    @_spi(Programs) public mutating func lose(_ failure: Failure, at now: BootInstant) -> [Step] {
        guard hasConnection else { return [] }
        let isFirst = self.failure == nil
        self.failure = failure
        wait(at: now)
        return [.disconnect, .deliver(.failed(failure, isFirst: isFirst))]
    }

    private mutating func wait(at now: BootInstant) {
        phase = .waiting(until: now.advanced(bySeconds: pause.seconds(random())), since: now)
    }
}
