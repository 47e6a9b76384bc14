@_spi(Programs) import LocationInterface
import NIOCore

/// The agents' word about single programs, before their watches begin.
extension GeoClueService {
    /// The programs about which GeoClue asks no agent: those that its configuration allows as Debian ships it, and the
    /// portal, which asks by itself. Agents refuse a desktop id of which no file is installed, as that of a desktop's
    /// own part.
    static let unasked = DesktopID.desktopParts.union(["epiphany", "firefox", "xdg-desktop-portal"])

    /// Begins the watch of a client that is to start, after the agents of its user were asked, if there are any.
    mutating func beginWithConsent(_ number: Int, at now: NIODeadline) -> [Step] {
        guard let client = clients[number], !client.isStarted, !apps.isAsking(about: number) else { return [] }
        let names = Self.unasked.contains(client.desktopID) ? [] : agents.names(of: client.uid)
        clients[number]?.allowedLevel = AccuracyLevel.exact
        guard !names.isEmpty else { return begin(client) }
        // GeoClue asks all the same. GNOME Shell refuses an id that it knows no application of, and replaces all
        // permissions that it remembers by that refusal; so it is not asked what it refuses anyway.
        guard !agents.isGNOMEShell(of: client.uid) || hasDesktopFile(client.desktopID) else {
            return refuse(number, Self.withoutDesktopFile)
        }
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
            guard let client = clients[number], !client.isStarted else { return [] }
            guard level > AccuracyLevel.none else { return refuseForAgent(number) }
            clients[number]?.allowedLevel = level
            return clients[number].map { begin($0) } ?? []
        case .limited(let number, let level):
            guard let client = clients[number], client.isStarted else { return [] }
            guard level > AccuracyLevel.none else { return refuseForAgent(number) }
            clients[number]?.allowedLevel = min(client.allowedLevel, level)
            guard let limited = clients[number], limited.request(within: limit(of: limited)) != limited.requested else {
                return []
            }
            return reopenWatch(limited)
        case .held(let number): return confirmStart(number)
        case .unanswered(let number): return refuse(number, "the desktop's agent has given no answer for ten minutes")
        case .refused(let number): return refuseForAgent(number)
        case .unasked(let number):
            return refuse(number, "the desktop's agent could not be asked about this program; start it again later")
        }
    }

    private static let withoutDesktopFile =
        "no desktop file of this program's DesktopId is installed for all users, without which the desktop refuses it"

    private mutating func refuseForAgent(_ number: Int) -> [Step] {
        let isKnown = clients[number].map { hasDesktopFile($0.desktopID) } ?? true
        return refuse(
            number, "the desktop's agent refuses it to this program" + (isKnown ? "" : "; \(Self.withoutDesktopFile)"))
    }

    /// A client that runs already ends, as by `Stop`.
    private mutating func refuse(_ number: Int, _ reason: String) -> [Step] {
        guard let client = clients[number] else { return [] }
        clients[number]?.starting = []
        return client.starting.map { .fail($0, .accessDenied, reason) }
            + [.noteRefusal(client.program, reason, isForDesktopFile: !hasDesktopFile(client.desktopID))] + stop(number)
    }
}
