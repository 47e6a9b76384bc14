import NIOCore

/// The agents' word about single programs, before their watches begin.
extension GeoClueService {
    /// Begins the watch of a client that is to start, after the agents of its user were asked, if there are any.
    mutating func beginWithConsent(_ number: Int, at now: NIODeadline) -> [Step] {
        guard let client = clients[number], !client.isStarted, !apps.isAsking(about: number) else { return [] }
        let names = agents.names(of: client.uid)
        clients[number]?.allowedLevel = AccuracyLevel.exact
        guard !names.isEmpty else { return begin(client) }
        return apps.begin(number, agents: names, at: now).map { ask($0) }
    }

    private func ask(_ question: AppQuestions.Question) -> Step {
        let client = clients[question.client]
        return .authorizeApp(
            question.agent, desktopID: client?.desktopID ?? "",
            level: client?.requestedAccuracyLevel ?? AccuracyLevel.none)
    }

    mutating func apply(_ answer: AppQuestions.Answer, ofAgent sender: String) -> [Step] {
        let (outcome, next) = apps.apply(answer, of: sender)
        return (outcome.map { apply($0) } ?? []) + (next.map { [ask($0)] } ?? [])
    }

    mutating func apply(_ outcome: AppQuestions.Outcome) -> [Step] {
        switch outcome {
        case .goesOn(let number, let level):
            guard let client = clients[number], !client.starting.isEmpty, !client.isStarted else { return [] }
            guard level > AccuracyLevel.none else { return refuse(number) }
            clients[number]?.allowedLevel = level
            return clients[number].map { begin($0) } ?? []
        case .refused(let number): return refuse(number)
        }
    }

    /// The user's agent does not want it. A client that runs already ends, as by `Stop`.
    private mutating func refuse(_ number: Int) -> [Step] {
        guard let client = clients[number] else { return [] }
        clients[number]?.starting = []
        return client.starting.map { .fail($0, .accessDenied, "the desktop's agent refuses it to this program") }
            + stop(number)
    }
}
