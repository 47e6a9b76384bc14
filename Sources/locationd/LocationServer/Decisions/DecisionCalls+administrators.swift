import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

/// The administrator's decisions.
extension DecisionCalls {
    func listAuthorizations(_: Call, for client: ServerClient) throws(ErrorReply) {
        let table = try readableDecisions()
        let reports = reports(table)
            .sorted { ($0.pending ? 0 : 1, $0.principal) < ($1.pending ? 0 : 1, $1.principal) }
        client.connection.reply(AuthorizationList(authorizations: reports, inactive: inactiveRules(table)))
    }

    private func reports(_ table: DecisionTable) -> [AuthorizationReport] {
        // What a decision about one process gives is not what its user's programs have.
        let others = connections.clients.values.filter { decisionThisTime(about: $0) == nil }
        let connected = Dictionary(grouping: others, by: \.principal.subject)
        return table.entries.map { subject, entry in report(subject, entry, connected[subject] ?? []) }
            + processReports
    }

    /// How many requests wait for a decision, as ``listAuthorizations(_:for:)`` lists them.
    var waitingRequests: Int {
        guard case .known(let table) = permissions.authority.decisions,
            table.entries.values.contains(where: \.isPending)
        else { return 0 }
        return reports(table).count(where: \.pending)
    }

    func setAuthorization(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.request(as: SetAuthorizationParameters.self)
        let time = utc
        try gate.withSubject(parameters.principal, of: call, from: client) { subject throws(ErrorReply) in
            let answer = try self.answer(parameters.authorization, about: subject)
            let decision = Decision(
                answer, accuracy: parameters.accuracy == .reduced ? .reduced : .full, by: "\(client.administrator)",
                time: time)
            try self.checkRules(decision, about: subject, during: parameters.duration)
            if let pid = parameters.process {
                let program = try self.program(in: pid, of: subject)
                try self.decide(decision, about: program, during: parameters.duration)
                let own = self.connections.ofProcess(program.process.pid, user: program.uid)
                client.connection.reply(AuthorizationChange(principal: "\(subject)", connections: own.count))
                return
            }
            try self.grant(decision, about: subject, during: parameters.duration, for: client) {
                () throws(ErrorReply) in
                try self.gate.recheck(call, of: client)
                try self.checkRules(decision, about: subject, during: parameters.duration)
            }
        }
    }

    /// Checks that the decision can have an effect.
    func checkRules(_ decision: Decision, about subject: Subject, during duration: Double?) throws(ErrorReply) {
        if let rule = settings.policy.restriction(of: subject), decision.answer != .denied {
            throw .failed("\(rule.origin) restricts \(subject), which no decision changes; edit that file first")
        }
        if case .unit = subject, !settings.kernelReportsUnits {
            throw .failed("\(Self.unitsNotReported); decide about the unit's user instead")
        }
        if case .bridge = subject, decision.answer == .authorizedWhenInUse {
            throw .failed("a bridge never logs in; decide without --when-in-use")
        }
        if duration != nil, decision.accuracy == .full, let rule = settings.policy.reduction(of: subject) {
            throw .failed(
                "\(rule.origin) reduces the accuracy of \(subject), which no decision changes; edit that file first")
        }
    }

    /// Decides, after the user's name is looked up, which a decision that grants has.
    ///
    /// - Parameters:
    ///   - duration: seconds, within the limit of a term; `nil` for ever.
    ///   - recheck: what has to hold at the moment of the grant too, after the look-up.
    ///   - isOwn: whether it is the user's own decision, which is answered with the client's status.
    func grant(
        _ decision: Decision, about subject: Subject, during duration: Double?, for client: ServerClient,
        isOwn: Bool = false, recheck: @escaping () throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        guard decision.answer != .denied, case .uid(let uid) = subject, let account = environment.operations.accountName
        else { return try decide(decision, about: subject, during: duration, for: client, isOwn: isOwn) }
        let before = try readableDecisions().entries[subject]?.effective
        awaitingName[uid, default: 0] += 1
        context.tasks.run(on: environment.operations.nameLookUpTasks) {
            await account(uid)
        } completion: { result in
            let left = (self.awaitingName[uid] ?? 0) - 1
            self.awaitingName[uid] = left > 0 ? left : nil
            var decision = decision
            if case .success(let name) = result { decision.account = name }
            self.endDueDecisions()
            do throws(ErrorReply) {
                try recheck()
                // A denial does not wait for the name lookup, and this grant must not overwrite a denial made
                // meanwhile.
                guard try self.readableDecisions().entries[subject]?.effective == before else {
                    throw .failed("there is a newer decision about \(subject); see `locctl authorizations`")
                }
                try self.decide(decision, about: subject, during: duration, for: client, isOwn: isOwn)
            } catch {
                client.connection.fail(error)
            }
        }
    }

    /// The answer that a parameter stands for.
    private func answer(
        _ answer: SetAuthorizationParameters.Answer, about subject: Subject
    ) throws(ErrorReply) -> Decision.Answer {
        switch answer {
        case .denied: return .denied
        case .authorizedWhenInUse: return .authorizedWhenInUse
        case .authorizedAlways: return .authorizedAlways
        case .unchanged: break
        }
        let entry = try readableDecisions().entries[subject]
        if let decided = entry?.effective?.answer, decided != .denied { return decided }
        if case .uid(let uid) = subject, entry?.effective == nil {
            let status = permissions.authority.verdict(for: Principal(uid: uid, pid: 0, groups: [])).status
            if status == .authorizedAlways { return .authorizedAlways }
            if status == .authorizedWhenInUse { return .authorizedWhenInUse }
        }
        guard entry?.isPending == true, let level = entry?.request?.level else {
            throw .failed("\(subject) has neither a grant nor a pending request; `locctl authorize \(subject)` grants")
        }
        return level == .always ? .authorizedAlways : .authorizedWhenInUse
    }

    /// - Parameter duration: seconds, within the limit of a term; `nil` for ever.
    private func decide(
        _ decision: Decision, about subject: Subject, during duration: Double?, for client: ServerClient, isOwn: Bool
    ) throws(ErrorReply) {
        let before = try readableDecisions().entries[subject]?.effective
        let term = duration.map { Term(duration: $0, at: permissions.moment) }
        endProcessDecisions(about: subject, by: decision)
        try change(for: client, about: subject, by: decision, statusOf: isOwn ? client : nil) { table in
            if let term {
                table.decide(decision, about: subject, for: term)
            } else {
                table.decide(decision, about: subject)
            }
        }
        audit.recordDecision(decision, about: subject, replacing: before, during: duration)
        terms.schedule()
    }

    func resetAuthorization(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let name = try call.parameters(as: PrincipalName.self).principal
        try gate.withSubject(name, of: call, from: client) { subject throws(ErrorReply) in
            let entry = try self.readableDecisions().entries[subject]
            guard entry != nil || self.hasProcessDecisions(about: subject) else { throw .noSuchPrincipal(name) }
            self.endProcessDecisions(about: subject, by: nil)
            try self.reset(subject, for: client, by: "\(client.administrator)")
        }
    }

    /// Forgets what is decided about a subject, and what it has requested.
    ///
    /// - Parameter statusOf: whose status is the answer; `nil` for what has changed.
    func reset(
        _ subject: Subject, for client: ServerClient, by name: String, statusOf other: ServerClient? = nil
    ) throws(ErrorReply) {
        let entry = try readableDecisions().entries[subject]
        try change(for: client, about: subject, statusOf: other) { _ = $0.reset(subject) }
        // Programs that run request it again at once, and are to be asked about anew.
        requestFeed.sendChanges()
        if let entry { audit.recordReset(of: entry, about: subject, by: name) }
        // The pending request is forgotten, so no decision will answer it.
        for other in connections.clients.values where other.principal.subject == subject {
            if case .authorizing = other.activity { answerAuthorization(of: other) }
        }
    }

    /// The change takes effect at once; the call is answered when the change is on the disk.
    private func change(
        for client: ServerClient, about subject: Subject, by decision: Decision? = nil,
        statusOf other: ServerClient? = nil, _ change: (inout DecisionTable) -> Void
    ) throws(ErrorReply) {
        var table = try readableDecisions()
        change(&table)
        permissions.authority.decisions = .known(table)
        refreshPermissions { $0.principal.isConcerned(by: subject) }
        refreshNamedMonitors()
        let connections = connections.clients.values.count { $0.principal.isConcerned(by: subject) }
        let (persistence, logger) = (persistence(of: decision, in: table), logger)
        let persist: @Sendable () async throws -> Void = {
            do {
                try await persistence()
            } catch {
                logger.log(.decisionsNotPersisted, ["principal": "\(subject)", "reason": "\(error)"])
                throw NotPersisted(description: "it is in effect, but a restart may lose it: \(error)")
            }
        }
        if let other {
            context.reply(to: client, locations.status(for: other), after: persist)
        } else {
            let answer = AuthorizationChange(principal: "\(subject)", connections: connections)
            context.reply(to: client, answer, after: persist)
        }
    }

    /// What is done before a change of the decisions is answered: a denial that is not persisted waits for no disk.
    func persistence(of decision: Decision?, in table: DecisionTable) -> @Sendable () async throws -> Void {
        let state = environment.state
        guard decision?.isTransient != true else { return { state.persistDecisionsSoon(table) } }
        return { try await state.persistDecisions(table) }
    }

    func readableDecisions() throws(ErrorReply) -> DecisionTable {
        switch permissions.authority.decisions {
        case .known(let table): return table
        case .unreadable(let reason): throw .failed(reason)
        }
    }

    /// The permission of a connected client, if there is one. Otherwise: for a user, what a process without
    /// supplementary groups would have; for a unit, the decision.
    private func report(_ subject: Subject, _ entry: DecisionEntry, _ clients: [ServerClient]) -> AuthorizationReport {
        let isRestricted = settings.policy.restriction(of: subject) != nil
        var report = AuthorizationReport(
            principal: "\(subject)",
            authorization: isRestricted ? .restricted : entry.effective?.answer.status ?? .notDetermined,
            accuracy: entry.effective?.accuracy ?? .full, pending: entry.isPending && !isRestricted,
            connections: clients.count)
        if let permission = clients.first?.permission {
            (report.authorization, report.accuracy) = (permission.authorization, permission.accuracy)
            report.pending = permission.isPending || permission.isFullAccuracyPending
        } else if case .uid(let uid) = subject {
            let verdict = permissions.authority.verdict(for: Principal(uid: uid, pid: 0, groups: []))
            (report.authorization, report.accuracy) = (verdict.status, verdict.accuracy)
            report.pending = verdict.isPending || verdict.isFullAccuracyPending
        }
        report.level = entry.request.map { $0.level == .always ? .always : .whenInUse }
        report.purpose = entry.request?.purpose
        report.fullAccuracy = entry.request?.fullAccuracy
        report.requestedAt = entry.request?.time
        report.decidedBy = entry.effective?.by
        report.decidedAt = entry.effective?.time
        report.account = entry.effective?.account
        report.remaining = entry.temporary?.term.remaining(at: permissions.moment)
        return report
    }

    private func inactiveRules(_ table: DecisionTable) -> [String] {
        let withoutSecret =
            "reduced accuracy: no location is sent, because its secret cannot be persisted; see the daemon's log"
        let reduction = locations.hasReducedLocations ? [] : [withoutSecret]
        guard !settings.kernelReportsUnits else { return reduction }
        let decisions = table.entries.filter { $0.value.effective != nil }.keys.filter(\.isUnit).map { "\($0)" }
            .sorted()
        return reduction
            + (settings.policy.unitRules.map(\.origin) + decisions).map { "\($0): \(Self.unitsNotReported)" }
    }

    static var unitsNotReported: String { "this kernel does not report the unit of a process (Linux 6.13 does)" }
}

private struct NotPersisted: Error, CustomStringConvertible {
    let description: String
}

extension ErrorReply {
    static func failed(_ reason: String) -> Self {
        Self(AdminInterface.Failure.failed, parameters: Explanation(reason: reason))
    }

    static func noSuchPrincipal(_ name: String) -> Self {
        Self(AdminInterface.Failure.noSuchPrincipal, parameters: PrincipalName(principal: name))
    }
}
