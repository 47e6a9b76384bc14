@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel

/// What the person answers. A question has three at most, the most buttons that GNOME shows; who closes the question
/// puts it off.
package enum Answer: String, Sendable, Hashable {
    case whileLoggedIn = "while-logged-in"
    case onlyRoughly = "only-roughly"
    case never
    /// The answers to the second question, which follows an answer that allows it, where only one program waits and its
    /// process is known: that process, or all programs for as long as the first answer says.
    case untilItEnds = "until-it-ends"
    case allWhileLoggedIn = "all-while-logged-in"
    case allAlways = "all-always"

    /// Whether it answers the second question.
    var isSecond: Bool {
        switch self {
        case .whileLoggedIn, .onlyRoughly, .never: false
        case .untilItEnds, .allWhileLoggedIn, .allAlways: true
        }
    }
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
    private var shown: PendingAuthorization? { didSet { allowed = nil } }
    /// The first answer, and the process of the program, while the second question about it is on the screen.
    private var allowed: (answer: Answer, process: Int)?
    /// The request that is being decided.
    private var deciding: PendingAuthorization?
    /// Whether it is decided for one process.
    private var decidesProcess = false
    /// The programs in a process that was allowed the position, while the daemon may still tell that they wait.
    private var answered: Set<SettledProgram> = []
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
        open.waiting = waiting.filter { !$0.isDesktopPart }.filter { program in
            let program = SettledProgram(program, in: request)
            return !settled.contains(program) && !answered.contains(program)
        }
        let isOpen = waiting.isEmpty ? request.number != settledNumber : open.waiting?.isEmpty == false
        return isOpen ? open : nil
    }

    private mutating func settlePrograms(of request: PendingAuthorization) {
        settledNumber = request.number
        settled.formUnion(Self.programs(of: request))
    }

    private static func programs(of request: PendingAuthorization?) -> Set<SettledProgram> {
        guard let request else { return [] }
        return Set((request.waiting ?? []).map { SettledProgram($0, in: request) })
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
        answered.formIntersection(Self.programs(of: reply?.requests.first))
        let use = tellUse()
        if reply?.requests.isEmpty == true {
            // What has been decided or reset is asked about anew when it is requested again.
            (settled, settledNumber, decided) = ([], nil, nil)
        }
        // Without a daemon nothing can be decided, and it says the requests again when it is back.
        guard reply?.requests.isEmpty == false else { return use + withdraw() }
        return use + advance(to: now)
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
        return advance(to: now)
    }

    /// The person has answered.
    package mutating func apply(_ answer: Answer, at now: BootInstant) -> [Step] {
        guard let shown, deciding == nil else { return [] }
        guard let ceiling = state?.ceiling else {
            settlePrograms(of: shown)
            return withdraw()
        }
        // A second click on a button of the first question is no answer to the second one.
        guard answer.isSecond == (allowed != nil) else { return [] }
        if answer != .never, allowed == nil, !hidesActions, let process = shown.onlyProcess {
            allowed = (answer, process)
            let isForEver = Self.isForEver(shown, within: ceiling)
            return [
                .withdraw,
                .show(
                    texts.secondQuestion(shown, isForEver: isForEver),
                    [.untilItEnds, isForEver ? .allAlways : .allWhileLoggedIn], longest: nil),
            ]
        }
        deciding = shown
        decidesProcess = answer == .untilItEnds
        var decision = decision(allowed?.answer ?? answer, about: shown, within: ceiling)
        decision.process = decidesProcess ? allowed?.process : nil
        return [.decide(decision)]
    }

    /// The notification was closed, by the person or by the server: no answer is put off.
    package mutating func noteClosed(at now: BootInstant) -> [Step] {
        guard let shown else { return [] }
        settlePrograms(of: shown)
        self.shown = nil
        return advance(to: now)
    }

    /// What has become of a decision.
    package mutating func apply(_ outcome: Outcome, at now: BootInstant) -> [Step] {
        guard let request = deciding else { return [] }
        deciding = nil
        switch outcome {
        // Who has decided may be asked the next question at once.
        case .decided where decidesProcess:
            // The request of the other programs stays, and so may its number.
            answered = Self.programs(of: request).intersection(Self.programs(of: state?.requests.first))
            last = nil
            return withdraw() + advance(to: now)
        case .decided, .outdated:
            (decided, last) = (request.number, nil)
            return withdraw() + advance(to: now)
        case .refused(let reason):
            settlePrograms(of: request)
            return withdraw() + [.tell(texts.failure(reason))] + advance(to: now)
        case .busy:
            // It is asked again, because the dialog on the screen is not that of this answer.
            return withdraw() + [.tell(texts.failure(texts.busy))] + advance(to: now)
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
        shown = request
        let text = texts.question(
            request, isForEver: Self.isForEver(request, within: ceiling), command: hidesActions ? command : nil)
        return [.show(text, answers(within: ceiling), longest: ceiling.longest)]
    }

    private mutating func withdraw() -> [Step] {
        guard shown != nil else { return [] }
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
