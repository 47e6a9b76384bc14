@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel

/// What the person answers. A question has three at most, the most buttons that GNOME shows; who closes the question
/// puts it off.
package enum Answer: String, Sendable, Hashable {
    case whileLoggedIn = "while-logged-in"
    case onlyRoughly = "only-roughly"
    case never
    /// What may be said afterwards, where only one program asked and its process is known: it alone keeps what was
    /// granted to all, until it ends.
    case onlyUntilItEnds = "only-until-it-ends"
}

/// Decides what is shown to the person, and what becomes of the answers: a pure state machine between the daemon, the
/// notification server and the clock.
///
/// One question is shown at a time, about the programs that wait now. A program that begins to wait joins it. Another
/// question follows after a minute at the earliest, unless the person has decided: programs may ask as often as they
/// like. A question that is put off settles the programs that it names and no others. Parts of desktops are no programs
/// of the person's.
package struct QuestionDesk: Sendable {
    package enum Step: Sendable, Equatable {
        /// Shows a question with its answers, in place of the one that is shown.
        case show(QuestionText, [Answer], longest: Double?)
        /// Shows what was granted, with an answer that narrows it and that nothing waits for.
        case offer(QuestionText, Answer)
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
        /// Another program of the user has a question at polkit.
        case busy
    }

    /// The least seconds between two questions.
    static let pause = 60.0
    /// Servers that can do actions and show no buttons: they want another program for the choice, or another mouse
    /// button.
    private static let serversWithoutButtons: Set<String> = ["mako", "dunst"]

    private let texts: Texts
    private let uid: UInt32
    /// Whether it is told when programs use the position for the first time on a day.
    private let showsUse: Bool
    private var toldUse: FirstUse?
    /// What the daemon says; `nil` while it is not reached.
    private var state: RequestsReply?
    /// What the notification server can do; `nil` while there is none.
    private var capabilities: Set<String>?
    /// Whether the notification server can do actions, and shows no buttons for them.
    private var hidesActions = false
    /// The request that is on the screen, with the programs that are named there.
    private var shown: PendingAuthorization?
    /// The request that is being decided, or whose grant is being narrowed.
    private var deciding: (request: PendingAuthorization, narrows: Bool)?
    /// The narrower grant that is on the screen as an offer, or will be once the request is decided.
    private var offered: (request: PendingAuthorization, decision: DecideParameters)?
    /// The programs that are not asked about again: the question was put off, refused, or told without a question.
    private var settled: Set<SettledProgram> = []
    /// The number of the request that is not asked about again while no program is named.
    private var settledNumber: Int64?
    /// The number of the request that was decided; the daemon may still tell it.
    private var decided: Int64?
    /// The number of the request that was on the screen when its server ended. It is asked about once more.
    private var lost: Int64?
    /// What was shown last, and when. The same may be shown again at once, after a daemon or a server has restarted.
    private var last: (request: PendingAuthorization, moment: BootInstant)?

    /// A program with what is asked for it: a program that is settled may still ask for more.
    private struct SettledProgram: Hashable {
        let program: String?
        let level: PendingAuthorization.Level
        let fullAccuracy: Bool

        init(_ program: WaitingProgram, in request: PendingAuthorization) {
            self.program = program.name ?? program.purpose
            (level, fullAccuracy) = (request.level, request.fullAccuracy == true)
        }
    }

    package init(_ texts: Texts, uid: UInt32, showsUse: Bool = false) {
        self.texts = texts
        self.uid = uid
        self.showsUse = showsUse
    }

    /// When ``advance(to:)`` has something to do; `nil` while only inputs can change anything.
    package var deadline: BootInstant? {
        guard let request = next else { return nil }
        return earliest(for: request)
    }

    /// The request that can be asked about, now or after the pause, with the programs to be named.
    private var next: PendingAuthorization? {
        guard capabilities != nil, deciding == nil, let request = state?.requests.first, request.number != decided,
            let question = openPart(of: request), question != shown
        else { return nil }
        return question
    }

    /// A request without the programs that are not asked about; `nil` if nothing is left to ask.
    private func openPart(of request: PendingAuthorization) -> PendingAuthorization? {
        let waiting = request.waiting ?? request.programs.map { WaitingProgram(name: $0) }
        var open = request
        (open.programs, open.purpose) = ([], nil)
        open.waiting = waiting.filter { !$0.isDesktopPart && !settled.contains(SettledProgram($0, in: request)) }
        let isOpen = waiting.isEmpty ? request.number != settledNumber : open.waiting?.isEmpty == false
        return isOpen ? open : nil
    }

    private mutating func settlePrograms(of request: PendingAuthorization) {
        settledNumber = request.number
        settled.formUnion((request.waiting ?? []).map { SettledProgram($0, in: request) })
    }

    private func earliest(for request: PendingAuthorization) -> BootInstant? {
        last.flatMap { last in
            let (programs, known) = (Set(request.waiting ?? []), Set(last.request.waiting ?? []))
            // What programs say of themselves may change as often as it likes, too; only so many can join.
            let isAgain = shown == nil && last.request.number == request.number && programs.isSubset(of: known)
            let isJoined =
                shown?.level == request.level && shown?.fullAccuracy == request.fullAccuracy
                && programs.isStrictSuperset(of: known)
            return isAgain || isJoined ? nil : last.moment.advanced(bySeconds: Self.pause)
        }
    }

    // MARK: Inputs

    /// The daemon has told the requests; `nil` if it is not reached any more.
    package mutating func apply(_ reply: RequestsReply?, at now: BootInstant) -> [Step] {
        state = reply
        let use = tellUse()
        if reply?.requests.isEmpty == true {
            // What has been decided or reset is asked about anew when it is requested again.
            (settled, settledNumber, decided) = ([], nil, nil)
        }
        // Without a daemon nothing can be decided, and it says the requests again when it is back.
        guard let reply else { return use + withdraw() }
        guard reply.requests.isEmpty else { return use + advance(to: now) }
        return use + (shown == nil ? [] : withdraw())
    }

    private mutating func tellUse() -> [Step] {
        guard showsUse, let state, let use = state.firstUse, use != toldUse, capabilities != nil else { return [] }
        toldUse = use
        let command = state.ceiling == nil ? "sudo locctl deny uid:\(uid)" : "locctl deny me"
        return [.tell(texts.use(use.program, command: command))]
    }

    /// The notification server has come, or has gone; what it showed is gone with it.
    ///
    /// - Parameter server: its name, if it tells one.
    package mutating func apply(capabilities: Set<String>?, server: String? = nil, at now: BootInstant) -> [Step] {
        self.capabilities = capabilities
        hidesActions = server.map(Self.serversWithoutButtons.contains) ?? false
        if let shown {
            if lost == shown.number { settlePrograms(of: shown) }
            lost = shown.number
            self.shown = nil
        }
        forgetOffer()
        return advance(to: now)
    }

    /// The person has answered.
    package mutating func apply(_ answer: Answer, at now: BootInstant) -> [Step] {
        guard deciding == nil else { return [] }
        if answer == .onlyUntilItEnds {
            guard let offered else { return [] }
            (deciding, self.offered) = ((offered.request, true), nil)
            return [.decide(offered.decision)]
        }
        guard let shown else { return [] }
        guard let ceiling = state?.ceiling else {
            settlePrograms(of: shown)
            return withdraw()
        }
        let decision = decision(answer, about: shown, within: ceiling)
        deciding = (shown, false)
        if answer != .never, !hidesActions, let process = shown.onlyProcess {
            var narrower = decision
            (narrower.number, narrower.process) = (nil, process)
            offered = (shown, narrower)
        }
        return [.decide(decision)]
    }

    /// The notification was closed, by the person or by the server: no answer is put off.
    package mutating func noteClosed(at now: BootInstant) -> [Step] {
        forgetOffer()
        guard let shown else { return [] }
        settlePrograms(of: shown)
        self.shown = nil
        return advance(to: now)
    }

    /// The offer is not on the screen any more; one that waits for the decision stays.
    private mutating func forgetOffer() { if deciding == nil { offered = nil } }

    /// What has become of a decision.
    package mutating func apply(_ outcome: Outcome, at now: BootInstant) -> [Step] {
        guard let (request, narrows) = deciding else { return [] }
        let offer = offered
        (deciding, offered) = (nil, nil)
        let withdrawal = narrows ? [.withdraw] : withdraw()
        switch outcome {
        case .decided, .outdated:
            // Who has decided may be asked the next question at once.
            (decided, last) = (request.number, nil)
            offered = outcome == .decided ? offer : nil
            let next = advance(to: now)
            guard let offered else { return withdrawal + next }
            return withdrawal + [.offer(texts.offer(request, offered.decision), .onlyUntilItEnds)] + next
        case .refused(let reason):
            // What is not narrowed has left no request.
            if !narrows { settlePrograms(of: request) }
            return withdrawal + [.tell(texts.failure(reason))] + advance(to: now)
        case .busy:
            // It is asked again, because the dialog on the screen is not that of this answer.
            return withdrawal + [.tell(texts.failure(texts.busy))] + advance(to: now)
        }
    }

    /// Shows what is to be shown now.
    package mutating func advance(to now: BootInstant) -> [Step] {
        guard let request = next, let state, let capabilities else { return [] }
        if let earliest = earliest(for: request), now < earliest { return [] }
        last = (request, now)
        guard let ceiling = state.ceiling else {
            settlePrograms(of: request)
            return withdraw() + [
                .tell(texts.notice(request, command: "sudo locctl authorize uid:\(uid)", isOwn: false))
            ]
        }
        let command = ceiling.command(forEver: request.level == .always)
        guard capabilities.contains("actions") else {
            settlePrograms(of: request)
            return withdraw() + [.tell(texts.notice(request, command: command, isOwn: true))]
        }
        (shown, offered) = (request, nil)
        let text = texts.question(
            request, isForEver: Self.isForEver(request, within: ceiling), command: hidesActions ? command : nil)
        return [.show(text, answers(within: ceiling), longest: ceiling.longest)]
    }

    /// Takes away the question, or the offer.
    private mutating func withdraw() -> [Step] {
        guard shown != nil || offered != nil && deciding == nil else { return [] }
        forgetOffer()
        shown = nil
        return [.withdraw]
    }

    // MARK: Within the ceiling

    /// Whether the position is asked for at any time, and may be granted so.
    static func isForEver(_ request: PendingAuthorization, within ceiling: DecisionCeiling) -> Bool {
        request.level == .always && ceiling.authorization == .authorizedAlways
    }

    private func answers(within ceiling: DecisionCeiling) -> [Answer] {
        ceiling.accuracy == .full ? [.whileLoggedIn, .onlyRoughly, .never] : [.onlyRoughly, .never]
    }

    private func decision(
        _ answer: Answer, about request: PendingAuthorization, within ceiling: DecisionCeiling
    ) -> DecideParameters {
        guard answer != .never else { return DecideParameters(number: request.number, authorization: .denied) }
        let accuracy: SetAuthorizationParameters.Accuracy = answer == .onlyRoughly ? .reduced : ceiling.accuracy
        return DecideParameters(
            number: request.number,
            authorization: Self.isForEver(request, within: ceiling) ? .authorizedAlways : .authorizedWhenInUse,
            accuracy: accuracy, duration: ceiling.longest)
    }
}
