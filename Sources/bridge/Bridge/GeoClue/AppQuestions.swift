import NIOCore

/// What the agents of users' sessions say about single programs (`AuthorizeApp`). Pure.
///
/// A refusal restricts; consent grants nothing, because an agent is a program of the same user. One that is silent makes no
/// difference: after ``timeout`` the program goes on as without it, and a later refusal ends it. An agent is asked about one client
/// at a time, because the bus counts what it owes against the bridge; see ``GeoClueAgents``.
struct AppQuestions {
    enum Answer: Equatable {
        /// With the accuracy level that it allows.
        case allowed(UInt32)
        case refused
        /// An error, or nothing that can be read.
        case none
    }

    /// What an agent is to be asked.
    struct Question: Equatable {
        let agent: String
        let client: Int
    }

    enum Outcome: Equatable {
        /// The client goes on, with this accuracy level at most.
        case goesOn(Int, level: UInt32)
        /// The client that has gone on without the answer gets this accuracy level at most.
        case limited(Int, level: UInt32)
        case refused(Int)
    }

    /// The most answers that are owed at once: with those of ``GeoClueAgents`` below the bus' limit.
    static let limit = 24
    /// How long a call of `Start` waits for agents and for the person at the screen together: programs give it up after 25
    /// seconds, D-Bus' own time-out.
    static let timeout = TimeAmount.seconds(20)

    private struct Client {
        /// The agents whose answers are awaited.
        var waiting: Set<String>
        var level = AccuracyLevel.exact
        let deadline: NIODeadline
    }

    private struct Agent {
        /// Whom it owes an answer about, who may have gone.
        var owed: Int?
        var queue: [Int] = []
    }

    private var clients: [Int: Client] = [:]
    private var agents: [String: Agent] = [:]

    /// When ``advance(to:)`` has something to do.
    var deadline: NIODeadline? { clients.values.lazy.map(\.deadline).min() }

    func isAsking(about client: Int) -> Bool { clients[client] != nil }

    /// A client is to start, without the agents from the deadline on.
    mutating func begin(_ client: Int, agents names: [String], until deadline: NIODeadline) -> [Question] {
        clients[client] = Client(waiting: Set(names), deadline: deadline)
        for name in names { agents[name, default: Agent()].queue.append(client) }
        return takeQuestions()
    }

    /// Those that go on without an answer are asked about all the same: it may be a refusal.
    private mutating func takeQuestions() -> [Question] {
        var free = Self.limit - agents.values.count { $0.owed != nil }
        var questions: [Question] = []
        for (name, agent) in agents.sorted(by: { $0.key < $1.key }) where agent.owed == nil {
            guard let client = agent.queue.first else {
                agents[name] = nil
                continue
            }
            guard free > 0 else { break }
            free -= 1
            agents[name]?.queue.removeFirst()
            agents[name]?.owed = client
            questions.append(Question(agent: name, client: client))
        }
        return questions
    }

    /// - Returns: what follows for the client, and what is to be asked next.
    mutating func apply(_ answer: Answer, of name: String) -> (outcome: Outcome?, next: [Question]) {
        guard let number = agents[name]?.owed else { return (nil, []) }
        agents[name]?.owed = nil
        let next = takeQuestions()
        switch answer {
        case .refused:
            clients[number] = nil
            return (.refused(number), next)
        case .allowed(let level):
            guard let client = clients[number] else { return (.limited(number, level: level), next) }
            clients[number]?.level = min(client.level, level)
        case .none: break
        }
        return (settleClient(number, without: name), next)
    }

    /// An agent has left.
    mutating func remove(agent name: String) -> (outcomes: [Outcome], next: [Question]) {
        agents[name] = nil
        let outcomes = clients.keys.sorted().compactMap { settleClient($0, without: name) }
        return (outcomes, takeQuestions())
    }

    /// A client has stopped.
    mutating func remove(client number: Int) {
        clients[number] = nil
        for name in agents.keys { agents[name]?.queue.removeAll { $0 == number } }
    }

    /// Time has passed.
    mutating func advance(to now: NIODeadline) -> [Outcome] {
        let late = clients.filter { $0.value.deadline <= now }
        for number in late.keys { clients[number] = nil }
        return late.sorted { $0.key < $1.key }.map { .goesOn($0.key, level: $0.value.level) }
    }

    private mutating func settleClient(_ number: Int, without name: String) -> Outcome? {
        guard clients[number]?.waiting.remove(name) != nil, let client = clients[number], client.waiting.isEmpty else {
            return nil
        }
        clients[number] = nil
        return .goesOn(number, level: client.level)
    }
}
