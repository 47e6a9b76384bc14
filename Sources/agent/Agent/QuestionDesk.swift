@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel

/// What the person answers.
package enum Answer: String, Sendable, Hashable, CaseIterable {
    case whileLoggedIn = "while-logged-in"
    case onlyRoughly = "only-roughly"
    case notNow = "not-now"
    case never
}

/// Decides what is shown to the person, and what becomes of the answers: a pure state machine between the daemon, the
/// notification server and the clock.
///
/// One question is shown at a time. Another follows after a minute at the earliest, unless the person has decided: programs
/// may ask as often as they like.
package struct QuestionDesk: Sendable {
    package enum Step: Sendable, Equatable {
        /// Shows a question with its answers, in place of the one that is shown.
        case show(QuestionText, [Answer], longest: Double?)
        /// Shows a text that nobody answers.
        case tell(QuestionText)
        /// Takes away what is shown.
        case withdraw
        case decide(DecideParameters)
    }

    /// How a decision ended.
    package enum Outcome: Sendable, Equatable {
        case decided
        /// The request has changed meanwhile, or is gone.
        case outdated
        /// With the reason in words.
        case refused(String)
    }

    /// The least seconds between two questions.
    static let pause = 60.0

    private let texts: Texts
    private let uid: UInt32
    /// What the daemon says; `nil` while it is not reached.
    private var state: RequestsReply?
    /// What the notification server can do; `nil` while there is none.
    private var capabilities: Set<String>?
    /// The request that is shown, or was last.
    private var shown: PendingAuthorization?
    private var isShowing = false
    /// The request that the person has put off, or that was told without a question.
    private var settled: Int64?
    private var lastShown: BootInstant?
    /// The requests that a restart of the notification server has been survived by once.
    private var repeated: Int64?
    private var isDeciding = false

    package init(_ texts: Texts, uid: UInt32) {
        self.texts = texts
        self.uid = uid
    }

    /// When ``advance(to:)`` has something to do; `nil` while only inputs can change anything.
    package var deadline: BootInstant? {
        guard let request = next, capabilities != nil, !isDeciding, let lastShown, request.number != shown?.number
        else { return nil }
        return lastShown.advanced(bySeconds: Self.pause)
    }

    /// The request that is to be asked about.
    private var next: PendingAuthorization? {
        guard let request = state?.requests.first, request.number != settled else { return nil }
        return request
    }

    // MARK: Inputs

    /// The daemon has told the requests; `nil` if it is not reached any more.
    package mutating func apply(_ reply: RequestsReply?, at now: BootInstant) -> [Step] {
        state = reply
        // Without a daemon nothing can be decided, and it says the requests again when it is back.
        guard next == nil else { return advance(to: now) }
        return withdraw()
    }

    /// The notification server has come, or has gone; what it showed is gone with it.
    package mutating func apply(capabilities: Set<String>?, at now: BootInstant) -> [Step] {
        self.capabilities = capabilities
        guard let shown, isShowing || settled == nil else { return advance(to: now) }
        isShowing = false
        // Asked again once, by the first server after it.
        if capabilities != nil, repeated != shown.number, next?.number == shown.number {
            repeated = shown.number
            lastShown = nil
            self.shown = nil
        }
        return advance(to: now)
    }

    /// The person has answered.
    package mutating func apply(_ answer: Answer, at now: BootInstant) -> [Step] {
        guard isShowing, let shown, !isDeciding else { return [] }
        guard answer != .notNow, let ceiling = state?.ceiling else {
            settled = shown.number
            return withdraw()
        }
        isDeciding = true
        return [.decide(decision(answer, about: shown, within: ceiling))]
    }

    /// The notification was closed, by the person or by the server.
    package mutating func noteClosed(at now: BootInstant) -> [Step] {
        guard isShowing else { return [] }
        isShowing = false
        if !isDeciding { settled = shown?.number }
        return advance(to: now)
    }

    /// What has become of a decision.
    package mutating func apply(_ outcome: Outcome, at now: BootInstant) -> [Step] {
        guard isDeciding else { return [] }
        isDeciding = false
        switch outcome {
        case .decided:
            settled = shown?.number
            lastShown = nil
            return withdraw() + advance(to: now)
        case .outdated:
            // The person has answered another question than there is now.
            lastShown = nil
            return withdraw() + advance(to: now)
        case .refused(let reason):
            settled = shown?.number
            return withdraw() + [.tell(texts.failure(reason))] + advance(to: now)
        }
    }

    /// Shows what is to be shown now.
    package mutating func advance(to now: BootInstant) -> [Step] {
        guard let request = next, let state, let capabilities, !isDeciding,
            request.number != shown?.number || !isShowing,
            request.number != shown?.number || repeated == nil || lastShown == nil
        else { return [] }
        if let lastShown, now < lastShown.advanced(bySeconds: Self.pause) { return [] }
        lastShown = now
        shown = request
        guard let ceiling = state.ceiling else {
            settled = request.number
            return withdraw() + [
                .tell(texts.notice(request, command: "sudo locctl authorize uid:\(uid)", isOwn: false))
            ]
        }
        guard capabilities.contains("actions") else {
            settled = request.number
            return withdraw() + [.tell(texts.notice(request, command: command(within: ceiling), isOwn: true))]
        }
        isShowing = true
        return [.show(texts.question(request), answers(within: ceiling), longest: ceiling.longest)]
    }

    private mutating func withdraw() -> [Step] {
        guard isShowing else { return [] }
        isShowing = false
        return [.withdraw]
    }

    // MARK: Within the ceiling

    private func answers(within ceiling: DecisionCeiling) -> [Answer] {
        ceiling.accuracy == .full ? Answer.allCases : [.onlyRoughly, .notNow, .never]
    }

    private func decision(
        _ answer: Answer, about request: PendingAuthorization, within ceiling: DecisionCeiling
    ) -> DecideParameters {
        guard answer != .never else { return DecideParameters(number: request.number, authorization: .denied) }
        let accuracy: SetAuthorizationParameters.Accuracy = answer == .onlyRoughly ? .reduced : ceiling.accuracy
        return DecideParameters(
            number: request.number, authorization: .authorizedWhenInUse, accuracy: accuracy, duration: ceiling.longest)
    }

    private func command(within ceiling: DecisionCeiling) -> String {
        var words = ["locctl authorize me --when-in-use"]
        if ceiling.accuracy == .reduced { words.append("--reduced") }
        if let longest = ceiling.longest { words.append("--for \(Int(longest))s") }
        return words.joined(separator: " ")
    }
}
