import NIOCore

/// The agents' word about single programs, before their watches begin.
extension GeoClueService {
    /// The programs about which GeoClue asks no agent: those that its configuration allows as Debian ships it, and the portal,
    /// which asks by itself. Agents refuse a desktop id of which no file is installed, as that of a desktop's own part.
    static let unasked: Set<String> = [
        "gnome-datetime-panel", "gnome-color-panel", "org.gnome.Shell", "io.elementary.desktop.agent-geoclue2",
        "sm.puri.Phosh", "lipstick", "epiphany", "firefox", "xdg-desktop-portal",
    ]

    /// Begins the watch of a client that is to start, after the agents of its user were asked, if there are any.
    mutating func beginWithConsent(_ number: Int, at now: NIODeadline) -> [Step] {
        guard let client = clients[number], !client.isStarted, !apps.isAsking(about: number) else { return [] }
        let names = Self.unasked.contains(client.desktopID) ? [] : agents.names(of: client.uid)
        clients[number]?.allowedLevel = AccuracyLevel.exact
        guard !names.isEmpty else { return begin(client) }
        return apps.begin(
            number, of: client.uid, agents: names, until: client.startDeadline ?? now + AppQuestions.timeout
        ).map { askAbout($0) }
    }

    func askAbout(_ question: AppQuestions.Question) -> Step {
        let client = clients[question.client]
        let limit = client.map { agents.limit(of: $0.uid) } ?? AccuracyLevel.exact
        let level = AccuracyLevel.asked(min(client?.requestedAccuracyLevel ?? AccuracyLevel.none, limit))
        return .authorizeApp(question.agent, desktopID: client?.desktopID ?? "", level: level)
    }

    mutating func apply(_ answer: AppQuestions.Answer, ofAgent sender: String, at now: NIODeadline) -> [Step] {
        let (outcome, next) = apps.apply(answer, of: sender, at: now)
        return (outcome.map { apply($0) } ?? []) + next.map { askAbout($0) }
    }

    mutating func apply(_ outcome: AppQuestions.Outcome) -> [Step] {
        switch outcome {
        case .goesOn(let number, let level):
            guard let client = clients[number], !client.starting.isEmpty, !client.isStarted else { return [] }
            guard level > AccuracyLevel.none else { return refuse(number, Self.refusedByAgent) }
            clients[number]?.allowedLevel = level
            return clients[number].map { begin($0) } ?? []
        case .limited(let number, let level):
            guard let client = clients[number], client.isStarted else { return [] }
            guard level > AccuracyLevel.none else { return refuse(number, Self.refusedByAgent) }
            clients[number]?.allowedLevel = min(client.allowedLevel, level)
            guard let limited = clients[number], limited.request(within: limit(of: limited)) != limited.requested else {
                return []
            }
            return reopenWatch(limited)
        case .refused(let number): return refuse(number, Self.refusedByAgent)
        case .unasked(let number):
            return refuse(number, "the desktop's agent could not be asked about this program; start it again later")
        }
    }

    private static let refusedByAgent = "the desktop's agent refuses it to this program"

    /// A client that runs already ends, as by `Stop`.
    private mutating func refuse(_ number: Int, _ reason: String) -> [Step] {
        guard let client = clients[number] else { return [] }
        clients[number]?.starting = []
        return client.starting.map { .fail($0, .accessDenied, reason) }
            + stop(number)
    }
}
