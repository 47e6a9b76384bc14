import NIOCore

/// What the agents of users' sessions say about single programs (`AuthorizeApp`). Pure.
///
/// A refusal restricts; consent grants nothing, because an agent is a program of the same user. Silence is no consent:
/// a person may be reading the agent's dialog. After ``timeout`` the call of `Start` is answered, because programs wait
/// no longer, and the client is held without locations until the agent answers or leaves the bus; after ``patience`` it
/// is refused. A program about which an agent could not be asked within ``timeout`` is refused. An agent is asked about
/// one client at a time, because the bus counts what it owes against the bridge (see ``GeoClueAgents``), and agents
/// that never answer leave other users their questions.
struct AppQuestions {
    enum Answer: Equatable {
        /// With the accuracy level that it allows.
        case allowed(UInt32)
        case refused
        /// An error, or nothing that can be read.
        case none
        /// The bus has not delivered the question.
        case undelivered
    }

    /// What an agent is to be asked.
    struct Question: Equatable {
        let agent: String
        let client: Int
    }

    enum Outcome: Equatable {
        /// The client goes on, with this accuracy level at most.
        case goesOn(Int, level: UInt32)
        /// The call of `Start` is answered; the client still waits for the agents.
        case held(Int)
        /// The agents' answer was awaited for ``AppQuestions/patience``.
        case unanswered(Int)
        /// The client that has gone on without the answer gets this accuracy level at most.
        case limited(Int, level: UInt32)
        case refused(Int)
        /// An agent could not be asked about this client in time.
        case unasked(Int)
    }

    /// The most users whose agents owe an answer, and the most further answers that agents of such users owe: with
    /// those of ``GeoClueAgents`` below the bus' limit.
    static let (users, furtherQuestions) = (24, 4)
    /// How long a call of `Start` waits for agents and for the person at the screen together: programs give it up after
    /// 25 seconds, D-Bus' own time-out.
    static let timeout = TimeAmount.seconds(20)
    /// How long a client is held for agents that owe an answer, from its `Start` on.
    static let patience = TimeAmount.minutes(10)

    private struct Client {
        /// The agents whose answers are awaited.
        var waiting: Set<String>
        var level = AccuracyLevel.exact
        var deadline: NIODeadline
        /// Whether its call of `Start` is answered.
        var isHeld = false
    }

    private struct Agent {
        let uid: UInt32
        /// Whom it owes an answer about, who may have gone.
        var owed: Int?
        /// About whom it is still to be asked.
        var queue: [Int] = []
        /// When it is asked again after a question that the bus has not delivered.
        var retry: NIODeadline?
    }

    private var clients: [Int: Client] = [:]
    private var agents: [String: Agent] = [:]

    /// When ``advance(to:)`` has something to do.
    var deadline: NIODeadline? {
        (clients.values.map(\.deadline) + agents.values.compactMap(\.retry)).min()
    }

    func isAsking(about client: Int) -> Bool { clients[client] != nil }

    func isHeld(_ client: Int) -> Bool { clients[client]?.isHeld == true }

    private func isUnasked(_ client: Int) -> Bool { agents.values.contains { $0.queue.contains(client) } }

    /// A client is to start; it is held from the deadline on.
    mutating func begin(
        _ client: Int, of uid: UInt32, agents names: [String], until deadline: NIODeadline
    ) -> [Question] {
        clients[client] = Client(waiting: Set(names), deadline: deadline)
        for name in names { agents[name, default: Agent(uid: uid)].queue.append(client) }
        return takeQuestions()
    }

    private mutating func takeQuestions() -> [Question] {
        agents = agents.filter { $0.value.owed != nil || !$0.value.queue.isEmpty }
        var owed: [UInt32: Int] = [:]
        for agent in agents.values where agent.owed != nil { owed[agent.uid, default: 0] += 1 }
        var questions: [Question] = []
        for (name, agent) in agents.sorted(by: { $0.key < $1.key }) where agent.owed == nil && agent.retry == nil {
            let further = owed.values.reduce(0, +) - owed.count
            let mayAsk = owed[agent.uid] == nil ? owed.count < Self.users : further < Self.furtherQuestions
            guard mayAsk, let client = agent.queue.first else { continue }
            owed[agent.uid, default: 0] += 1
            agents[name]?.queue.removeFirst()
            agents[name]?.owed = client
            questions.append(Question(agent: name, client: client))
        }
        return questions
    }

    /// - Returns: what follows for the client, and what is to be asked next.
    mutating func apply(
        _ answer: Answer, of name: String, at now: NIODeadline
    ) -> (outcome: Outcome?, next: [Question]) {
        guard let number = agents[name]?.owed else { return (nil, []) }
        agents[name]?.owed = nil
        // A client that was stopped and started again meanwhile waits in the queue already.
        if answer == .undelivered, clients[number] != nil, agents[name]?.queue.contains(number) == false {
            agents[name]?.queue.insert(number, at: 0)
            agents[name]?.retry = now + GeoClueAgents.retry
        }
        let next = takeQuestions()
        switch answer {
        case .refused:
            clients[number] = nil
            return (.refused(number), next)
        case .allowed(let level):
            guard let client = clients[number] else { return (.limited(number, level: level), next) }
            clients[number]?.level = min(client.level, level)
        case .undelivered: return (nil, next)
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
    mutating func advance(to now: NIODeadline) -> (outcomes: [Outcome], next: [Question]) {
        let late = clients.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        let outcomes = late.map { number, client -> Outcome in
            guard client.isHeld || isUnasked(number) else {
                clients[number]?.isHeld = true
                clients[number]?.deadline = client.deadline + (Self.patience - Self.timeout)
                return .held(number)
            }
            let isAsked = client.isHeld && !isUnasked(number)
            remove(client: number)
            return isAsked ? .unanswered(number) : .unasked(number)
        }
        for (name, agent) in agents where agent.retry.map({ $0 <= now }) == true { agents[name]?.retry = nil }
        return (outcomes, takeQuestions())
    }

    private mutating func settleClient(_ number: Int, without name: String) -> Outcome? {
        guard clients[number]?.waiting.remove(name) != nil, let client = clients[number], client.waiting.isEmpty else {
            return nil
        }
        clients[number] = nil
        return .goesOn(number, level: client.level)
    }
}
