import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// A connected program as a decision about its process finds it.
struct ProgramInProcess {
    /// One of its connections.
    let client: ServerClient
    let process: ProgramProcess
    let image: ProcessImage
    let uid: UInt32

    /// What the program calls itself, or its name.
    var name: String { client.label ?? client.claimedName ?? image.name.sanitizedAsClaim() }
}

/// Decisions about single processes: "this time".
extension DecisionCalls: DueDecisions {
    // MARK: What holds

    /// The decision about the process of a client's program, if it holds for this client.
    func decisionThisTime(about client: ServerClient) -> ProcessDecision? {
        // A unit and a bridge are no program of a person.
        guard !processDecisions.isEmpty, case .uid(let uid) = client.principal.subject, let pid = client.programPID,
            processDecisions.entry(of: uid, pid: pid) != nil, let process = client.program
        else { return nil }
        return processDecisions.decision(about: process, of: uid)
    }

    /// The permission of a principal that does not make a connection yet.
    func permission(of principal: Principal) -> Permission { permissions.permission(of: principal, for: self) }

    func permission(of client: ServerClient) -> Permission {
        permissions.permission(of: client.principal, thisTime: decisionThisTime(about: client), for: self)
    }

    /// A client has connected, which a decision about its process may concern.
    func admit(_ client: ServerClient) {
        guard !processDecisions.isEmpty else { return }
        client.permission = permission(of: client)
        noteConnection(of: client, isOpen: true)
    }

    func hasProcessDecisions(about subject: Subject) -> Bool {
        processDecisions.entries.contains { .uid($0.uid) == subject }
    }

    /// The process that a bridge names, opened by its number: it counts while it is one of the user whom the bridge
    /// names.
    func process(of program: ServedProgram, servedBy bridge: ProcessDescriptor) -> ProgramProcess? {
        guard program.unit == nil, let pid = program.process.flatMap({ Int32(exactly: $0) }),
            case .value(let descriptor) = settings.peerCalls.openProcess(pid)
        else { return nil }
        let process = ProgramProcess(pid: pid, descriptor: descriptor, servedBy: bridge)
        return process.image?.uid == program.uid ? process : nil
    }

    /// The pids of the programs that wait, by the names that the user is told; not those of names that several have.
    func waitingProcesses(of uid: UInt32) -> [String: Int]? {
        var found: [String: Set<Int32?>] = [:]
        let names = namesOfProcesses
        for client in connections.clients.values where client.principal.subject == .uid(uid) {
            guard client.permission.isPending || client.permission.isFullAccuracyPending,
                let name = client.waitingName(names)
            else { continue }
            found[name, default: []].insert(client.programPID)
        }
        let known = found.compactMapValues { $0.count == 1 ? $0.first.flatMap(\.self).map { Int($0) } : nil }
        return known.isEmpty ? nil : known
    }

    // MARK: Decisions

    /// The connected program of a user in a process.
    func program(in pid: Int, of subject: Subject) throws(ErrorReply) -> ProgramInProcess {
        guard case .uid(let uid) = subject else {
            throw .invalidParameter("process", reason: "processes are decided about for users only")
        }
        let clients = connections.clients.values.filter { client in
            client.programPID.map { Int($0) } == pid && client.program?.hasEnded == false
        }
        guard let client = clients.filter({ $0.principal.subject == subject }).min(by: { $0.id < $1.id }),
            let process = client.program
        else { throw .failed("no program of \(subject) with the pid \(pid) is connected") }
        guard clients.allSatisfy({ $0.principal.uid == uid }) else {
            throw .failed("the process \(pid) is connected as several users")
        }
        guard let image = process.image else {
            throw .failed("the daemon cannot see in /proc what the process \(pid) runs")
        }
        let earlier = clients.compactMap(\.image)
        guard image.uid == uid, earlier.allSatisfy({ image.mayFollow($0) }) else { throw .otherProgram(pid) }
        return ProgramInProcess(client: client, process: process, image: image, uid: uid)
    }

    /// Checks once more, after a wait, that a process runs the same program, which is still connected.
    func recheck(_ program: ProgramInProcess) throws(ErrorReply) {
        let pid = Int(program.process.pid)
        let present = try self.program(in: pid, of: .uid(program.uid))
        guard !program.process.hasEnded, present.image.mayFollow(program.image) else { throw .otherProgram(pid) }
    }

    /// Grants it to one process. Nothing is written to the disk.
    func decide(
        _ decision: Decision, about program: ProgramInProcess, during duration: Double?
    ) throws(ErrorReply) {
        let (uid, pid) = (program.uid, program.process.pid)
        guard try readableDecisions().entries[.uid(uid)]?.effective?.answer != .denied else {
            throw .failed("uid:\(uid) is denied it, which a decision about one process does not change")
        }
        let entry = ProcessDecisions.Entry(
            uid: uid, process: program.process, name: program.name, image: program.image,
            holding: ProcessDecision(decision, for: duration.map { Term(duration: $0, at: permissions.moment) }))
        if entry.isOwn, processDecisions.entry(of: uid, pid: pid)?.isOwn == false {
            throw .notPermitted("an administrator has decided about the process \(pid)")
        }
        endProcessDecisions()
        guard processDecisions.add(entry) else {
            throw .failed(
                "there are decisions about \(ProcessDecisions.perUser) processes of uid:\(uid) already, "
                    + "or about \(ProcessDecisions.limit) of all users")
        }
        audit.recordDecision(decision, about: .uid(uid), replacing: nil, during: duration, process: pid)
        refreshPermissions { $0.principal.uid == uid }
        forgetAnsweredRequest(of: uid)
        scheduleProcessLook()
    }

    /// Leaves what a user has granted to all programs to one process alone, which has it without a gap; for no longer
    /// than it was granted.
    func narrow(
        _ decision: Decision, to program: ProgramInProcess, during duration: Double?, for client: ServerClient
    ) throws(ErrorReply) {
        let subject = Subject.uid(program.uid)
        let term = try readableDecisions().entries[subject]?.temporary?.term
        let rests = [duration, term?.remaining(at: permissions.moment)].compactMap(\.self)
        try decide(decision, about: program, during: rests.min())
        try reset(subject, for: client, by: decision.by, statusOf: program.client)
    }

    /// The request is answered where no other program of the user waits.
    private func forgetAnsweredRequest(of uid: UInt32) {
        let waits = connections.clients.values.contains { client in
            client.principal.subject == .uid(uid)
                && (client.permission.isPending || client.permission.isFullAccuracyPending) && client.isWaiting
        }
        guard !waits, case .known(var table) = permissions.authority.decisions,
            table.forgetRequest(of: .uid(uid))
        else { return }
        permissions.authority.decisions = .known(table)
        environment.state.persistDecisionsSoon(table)
        refreshPermissions { $0.principal.uid == uid }
    }

    // MARK: The end

    func endDueDecisions() {
        terms.endIfDue()
        // Without such decisions the clocks are not read.
        if !processDecisions.isEmpty, processDecisions.isDue(at: permissions.moment) { endProcessDecisions() }
    }

    /// Looks at all processes, and ends what is over.
    func endProcessDecisions() {
        guard !processDecisions.isEmpty else { return }
        let table: DecisionTable? = if case .known(let known) = permissions.authority.decisions { known } else { nil }
        apply(
            end: processDecisions.endDue(at: permissions.moment) { entry in
                // A file that was read anew may have a decision of an administrator.
                entry.isOwn && table?.entries[.uid(entry.uid)]?.mayBeReplaced(byUser: entry.uid) == false
            })
        scheduleProcessLook()
    }

    /// A decision about a user, or its reset, replaces those about its processes; but the user's own grant not those of
    /// an administrator.
    func endProcessDecisions(about subject: Subject, by decision: Decision?) {
        guard case .uid(let uid) = subject, !processDecisions.isEmpty else { return }
        let isOwnGrant = decision.map { $0.answer != .denied && $0.by == DecisionEntry.user(uid) } ?? false
        apply(end: processDecisions.end(of: uid, onlyOwn: isOwnGrant))
    }

    private func apply(end ended: [ProcessDecisions.Entry]) {
        guard !ended.isEmpty else { return }
        let users = Set(ended.map(\.uid))
        refreshPermissions { users.contains($0.principal.uid) }
        for entry in ended {
            let subject = Subject.uid(entry.uid)
            audit.recordEnd(
                of: entry.holding.decision, about: subject, since: permissions.authority.verdict(about: subject),
                process: entry.pid)
        }
    }

    /// A connection was made or has closed: a decision ends some time after the last one of its process.
    func noteConnection(of client: ServerClient, isOpen: Bool) {
        // Subscribers of requests for authorization see the names of the user's connected programs.
        if !isOpen, client.claimedName != nil || client.label != nil { requestFeed.schedule() }
        guard !processDecisions.isEmpty, let pid = client.programPID else { return }
        let uid = client.principal.uid
        guard processDecisions.entry(of: uid, pid: pid) != nil else { return }
        let isConnected = isOpen || !connections.ofProcess(pid, user: uid).isEmpty
        processDecisions.setConnected(isConnected, pid: pid, of: uid, at: now)
        scheduleProcessLook()
    }

    private func scheduleProcessLook() {
        guard !context.isFinishing, let rest = processDecisions.nextLook(at: permissions.moment) else { return }
        processAlarm.set(after: max(0.001, rest))
    }

    // MARK: Reports

    var processReports: [AuthorizationReport] {
        processDecisions.entries.map { entry in
            let decision = entry.holding.decision
            let own = connections.ofProcess(entry.pid, user: entry.uid)
            var report = AuthorizationReport(
                principal: "uid:\(entry.uid)",
                authorization: own.first?.permission.authorization ?? decision.answer.status,
                accuracy: own.first?.permission.accuracy ?? decision.accuracy, connections: own.count)
            report.decidedBy = decision.by
            report.decidedAt = decision.time
            report.remaining = entry.holding.term?.remaining(at: permissions.moment)
            report.process = Int(entry.pid)
            report.program = entry.name
            return report
        }
    }
}

extension ServerClient {
    /// Whether it waits for the position, or has asked for it; others are connected for other things.
    fileprivate var isWaiting: Bool {
        switch activity {
        case .authorizing, .watching, .requesting: true
        case .idle: claimedName != nil || label != nil
        case .watchingRequests, .watchingUsage: false
        }
    }
}

extension ErrorReply {
    fileprivate static func otherProgram(_ pid: Int) -> Self {
        .failed("the program in the process \(pid) has ended, or another one runs there now")
    }
}
