import NIOCore

/// The agents of the users' sessions: how accurate each allows locations to be, and who is asked at present. Pure.
///
/// An agent counts for its own user alone; of several agents of one user the strictest answer counts. Silence and
/// errors open nothing: the former answer of an agent stays, and one that has never answered allows nothing when the
/// time for its first answer is over.
///
/// The bus counts a call against the bridge until it is answered or its receiver has left, however long that takes: 128
/// calls at dbus-daemon, after which it delivers no call of the bridge to anybody. So an agent that owes an answer is
/// not asked again, a user has few agents, and the number of unanswered calls is limited.
struct GeoClueAgents {
    /// What an agent has answered.
    enum Answer: Equatable {
        case level(UInt32)
        /// An error, or what is no level.
        case error
        /// The bus has not delivered the question.
        case undelivered
    }

    /// The most agents of one user, each of which owes at most one answer.
    static let perUser = 4
    /// The most answers that are owed at once: well below the bus' limit, and those of many users.
    static let questions = 96
    /// How long the first answer of an agent is awaited.
    static let timeout = TimeAmount.seconds(5)
    /// The least time between two questions to one agent, so that an agent cannot keep the bridge busy.
    static let pause = TimeAmount.milliseconds(200)
    /// The time after which a question that the bus has not delivered is asked again.
    static let retry = TimeAmount.seconds(1)

    private struct Agent {
        let uid: UInt32
        let isGNOMEShell: Bool
        /// `nil` until it has answered for the first time, or the time for that is over.
        var level: UInt32?
        let deadline: NIODeadline
        var owesAnswer = false
        /// When it is to be asked; `nil` if there is nothing to ask.
        var due: NIODeadline?
        /// When it may be asked again.
        var rested: NIODeadline
    }

    private var agents: [String: Agent] = [:]

    var isEmpty: Bool { agents.isEmpty }

    /// The number of questions that are not answered.
    var owed: Int { agents.values.count(where: \.owesAnswer) }

    /// When ``advance(to:)`` and ``takeQuestions(at:)`` have something to do; `nil` if only with the next input.
    var deadline: NIODeadline? {
        let isFull = owed >= Self.questions
        return agents.values.lazy.compactMap { agent in
            let timeout = agent.level == nil ? agent.deadline : nil
            let question = isFull || agent.owesAnswer ? nil : agent.due
            return [timeout, question].compactMap { $0 }.min()
        }.min()
    }

    /// The accuracy level that the agents of a user allow: that of the desktop's switch for locations.
    func limit(of uid: UInt32) -> UInt32 {
        agents.values.lazy.filter { $0.uid == uid }.compactMap(\.level).min() ?? AccuracyLevel.exact
    }

    /// Whether a first answer is awaited, without which nothing may begin.
    func isAwaited(of uid: UInt32) -> Bool {
        agents.values.contains { $0.uid == uid && $0.level == nil }
    }

    /// The agents of a user that have answered, by their unique names.
    func names(of uid: UInt32) -> [String] {
        agents.filter { $0.value.uid == uid && $0.value.level != nil }.keys.sorted()
    }

    /// Whether one of them is GNOME Shell, as it says of itself.
    func isGNOMEShell(of uid: UInt32) -> Bool { agents.values.contains { $0.uid == uid && $0.isGNOMEShell } }

    // MARK: Inputs

    /// A program says that it is an agent, of the desktop with this id. If it is one already, its former answer counts
    /// until it has answered again.
    /// - Returns: false if its user has too many agents.
    mutating func add(_ sender: String, of uid: UInt32, id: String, at now: NIODeadline) -> Bool {
        if agents[sender] == nil {
            guard agents.values.count(where: { $0.uid == uid }) < Self.perUser else { return false }
            agents[sender] = Agent(
                uid: uid, isGNOMEShell: id == "gnome-shell", deadline: now + Self.timeout, rested: now)
        }
        noteChange(of: sender)
        return true
    }

    /// An agent has another answer than before.
    /// - Returns: false if there is nothing to do: it is to be asked already, or is no agent.
    @discardableResult
    mutating func noteChange(of sender: String) -> Bool {
        guard let agent = agents[sender], agent.due == nil else { return false }
        agents[sender]?.due = agent.rested
        return true
    }

    /// - Returns: the user whose limit may have changed; `nil` if the sender is no agent.
    mutating func apply(_ answer: Answer, of sender: String, at now: NIODeadline) -> UInt32? {
        guard var agent = agents[sender] else { return nil }
        agent.owesAnswer = false
        switch answer {
        case .level(let level): agent.level = level
        case .error: agent.level = agent.level ?? AccuracyLevel.none
        case .undelivered: agent.due = now + Self.retry
        }
        agents[sender] = agent
        return agent.uid
    }

    /// - Returns: the user whose limit may have changed; `nil` if the sender was no agent.
    mutating func remove(_ sender: String) -> UInt32? {
        agents.removeValue(forKey: sender)?.uid
    }

    /// - Returns: the users for one of whose agents the time to answer for the first time is over.
    mutating func advance(to now: NIODeadline) -> Set<UInt32> {
        var changed: Set<UInt32> = []
        for (sender, agent) in agents where agent.level == nil && agent.deadline <= now {
            agents[sender]?.level = AccuracyLevel.none
            changed.insert(agent.uid)
        }
        return changed
    }

    /// - Returns: whom to ask now; those who wait longest come first.
    mutating func takeQuestions(at now: NIODeadline) -> [String] {
        let free = max(0, Self.questions - owed)
        let waiting = agents.compactMap { sender, agent -> (sender: String, due: NIODeadline)? in
            guard !agent.owesAnswer, let due = agent.due, due <= now else { return nil }
            return (sender, due)
        }
        let asked = waiting.sorted { ($0.due, $0.sender) < ($1.due, $1.sender) }.prefix(free).map(\.sender)
        for sender in asked {
            agents[sender]?.owesAnswer = true
            agents[sender]?.due = nil
            agents[sender]?.rested = now + Self.pause
        }
        return asked
    }
}
