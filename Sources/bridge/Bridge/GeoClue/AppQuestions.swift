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
        case refused(Int)
    }

    /// Programs give up `Start` after 25 seconds, D-Bus' own time-out.
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

    /// A client is to start.
    mutating func begin(_ client: Int, agents names: [String], at now: NIODeadline) -> [Question] {
        clients[client] = Client(waiting: Set(names), deadline: now + Self.timeout)
        return names.sorted().compactMap { name in
            agents[name, default: Agent()].queue.append(client)
            return takeQuestion(of: name)
        }
    }

    private mutating func takeQuestion(of name: String) -> Question? {
        guard var agent = agents[name], agent.owed == nil else { return nil }
        // Those that go on without it are asked about all the same: it may refuse them.
        guard !agent.queue.isEmpty else {
            agents[name] = nil
            return nil
        }
        let client = agent.queue.removeFirst()
        agent.owed = client
        agents[name] = agent
        return Question(agent: name, client: client)
    }

    /// - Returns: what follows for the client, and whom the agent is asked about next.
    mutating func apply(_ answer: Answer, of name: String) -> (outcome: Outcome?, next: Question?) {
        guard let number = agents[name]?.owed else { return (nil, nil) }
        agents[name]?.owed = nil
        let next = takeQuestion(of: name)
        guard answer != .refused else {
            clients[number] = nil
            return (.refused(number), next)
        }
        if case .allowed(let level) = answer, let client = clients[number] {
            clients[number]?.level = min(client.level, level)
        }
        return (settle(number, without: name), next)
    }

    /// An agent has left.
    mutating func remove(agent name: String) -> [Outcome] {
        agents[name] = nil
        return clients.keys.sorted().compactMap { settle($0, without: name) }
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

    private mutating func settle(_ number: Int, without name: String) -> Outcome? {
        guard clients[number]?.waiting.remove(name) != nil, let client = clients[number], client.waiting.isEmpty else {
            return nil
        }
        clients[number] = nil
        return .goesOn(number, level: client.level)
    }
}
