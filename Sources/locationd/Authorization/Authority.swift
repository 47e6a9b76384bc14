@_spi(Programs) package import LocationModel

/// Decides permissions: first the policy's restrictions, then the decisions, then the other rules of the policy.
package struct Authority: Sendable {
    package var policy: AccessPolicy
    package var decisions: Decisions

    package enum Decisions: Sendable {
        case known(DecisionTable)
        /// The decisions cannot be read; the reason and the remedy, in words.
        case unreadable(String)
    }

    package init(policy: AccessPolicy, decisions: Decisions = .known(DecisionTable())) {
        self.policy = policy
        self.decisions = decisions
    }

    /// - Parameter own: the decision about the principal's process alone. It precedes the other grants, and no denial.
    package func verdict(for principal: Principal, thisTime own: ProcessDecision? = nil) -> Verdict {
        // A process without permission of its own must not receive the position as the reader of a bridge.
        if let reader = principal.reader {
            let verdict = verdict(for: reader)
            if [.restricted, .denied].contains(verdict.status) { return verdict }
        }
        let table: DecisionTable
        switch decisions {
        case .known(let known): table = known
        case .unreadable(let reason): return verdictWithoutDecisions(for: principal, reason: reason)
        }
        let rule = policy.rule(for: principal)
        if rule.outcome == .restricted { return restriction(by: rule) }
        let former = table.decision(for: principal)
        if let own, former?.decision.answer != .denied {
            let pending = DecisionEntry(request: table.entries[principal.subject]?.request, decision: own.decision)
                .pending
            var verdict = Verdict(
                own.decision.answer.status, accuracy: max(rule.accuracy, own.decision.accuracy),
                minimumInterval: rule.minimumInterval, isPending: pending.level)
            verdict.isFullAccuracyPending = pending.fullAccuracy && rule.accuracy == .full
            verdict.term = own.term
            return verdict
        }
        let pending = table.pending(principal)
        var verdict: Verdict
        if let (subject, decision) = former {
            let accuracy = max(rule.accuracy, decision.accuracy)
            verdict = Verdict(
                decision.answer.status, accuracy: accuracy, minimumInterval: rule.minimumInterval,
                isPending: pending.level,
                reason: decision.answer == .denied ? denial(of: subject, by: decision, for: principal) : nil)
            verdict.term = table.term(for: principal)
        } else {
            let reason = rule.outcome == .ask ? undecided(principal, isPending: pending.level) : nil
            verdict = Verdict(
                rule.outcome.status, accuracy: rule.accuracy, minimumInterval: rule.minimumInterval,
                isPending: pending.level, reason: reason)
        }
        // No decision makes full what a rule reduces.
        verdict.isFullAccuracyPending = pending.fullAccuracy && rule.accuracy == .full
        return verdict
    }

    /// What holds for a subject itself: for a user, what a process without supplementary groups and unit would have;
    /// for others, the decision.
    package func verdict(about subject: Subject) -> Verdict {
        if case .uid(let uid) = subject { return verdict(for: Principal(uid: uid, pid: 0, groups: [])) }
        guard case .known(let table) = decisions, let decision = table.entries[subject]?.effective else {
            return Verdict(.notDetermined)
        }
        return Verdict(decision.answer.status, accuracy: decision.accuracy)
    }

    /// Whether a decision could give the principal full accuracy.
    package func mayGrantFullAccuracy(to principal: Principal) -> Bool {
        guard case .known = decisions else { return false }
        let rule = policy.rule(for: principal)
        return rule.outcome != .restricted && rule.accuracy == .full
    }

    /// Whether a user may receive the position, now or at another time, whatever the groups and unit of its processes;
    /// `nil` if it depends on them or cannot be determined.
    package func isAuthorized(uid: UInt32) -> Bool? {
        guard case .known(let table) = decisions else { return nil }
        let answer = table.entries[.uid(uid)]?.effective?.answer
        if answer == .denied || policy.restrictsAlways(uid: uid) { return false }
        return answer == nil ? nil : true
    }

    /// Refuses every subject that may have been denied. Administrators keep their permission, within the policy.
    private func verdictWithoutDecisions(for principal: Principal, reason: String) -> Verdict {
        guard policy.isExemptFromLimits(principal), principal.bridge == nil else {
            return Verdict(.restricted, reason: reason)
        }
        let rule = policy.rule(for: principal)
        if rule.outcome == .restricted { return restriction(by: rule) }
        let status = rule.outcome == .ask ? .authorizedAlways : rule.outcome.status
        return Verdict(status, accuracy: rule.accuracy, minimumInterval: rule.minimumInterval)
    }

    private func restriction(by rule: PolicyRule) -> Verdict {
        Verdict(.restricted, reason: "\(rule.origin) forbids it; an administrator can change that rule")
    }

    private func denial(of subject: Subject, by decision: Decision, for principal: Principal) -> String {
        let remedy = "`sudo locctl authorize \(subject)`"
        guard case .uid(let uid) = subject, decision.by == DecisionEntry.user(uid) else {
            return "an administrator denied it to \(subject), and allows it by \(remedy)"
        }
        let own = policy.ceiling(of: principal).map { "its user by `\($0.command)`, " } ?? ""
        return "its user denied it; it is allowed by \(own)an administrator by \(remedy)"
    }

    private func undecided(_ principal: Principal, isPending: Bool) -> String {
        let state = isPending ? "nobody has decided yet" : "nobody has been asked yet"
        let own = policy.ceiling(of: principal).map { "its user allows it by `\($0.command)`, " } ?? ""
        let verb = own.isEmpty ? " allows it" : ""
        let remedy = own + "an administrator\(verb) by `sudo locctl authorize \(principal.subject)`"
        guard policy.hasLostTrust(principal) else { return "\(state); \(remedy)" }
        // The clients of gpsd's protocol hold 250 bytes of it.
        return "\(state) about sockets that \(principal.subject) has made for any program; "
            + "connect to the Unix socket of locationd-bridge-unix.socket, or \(remedy)"
    }
}

extension PolicyRule.Outcome {
    fileprivate var status: AuthorizationStatus {
        switch self {
        case .authorizedAlways: .authorizedAlways
        case .authorizedWhenInUse: .authorizedWhenInUse
        case .restricted: .restricted
        case .ask: .notDetermined
        }
    }
}

extension Decision.Answer {
    package var status: AuthorizationStatus {
        switch self {
        case .denied: .denied
        case .authorizedWhenInUse: .authorizedWhenInUse
        case .authorizedAlways: .authorizedAlways
        }
    }
}

/// The coarser of two accuracies; one of a later version counts as reduced.
private func max(_ one: AccuracyAuthorization, _ other: AccuracyAuthorization) -> AccuracyAuthorization {
    one == .full && other == .full ? .full : .reduced
}

/// What a client may receive, and the reason if it may not.
package struct Verdict: Sendable, Hashable {
    package var status: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
    /// The least seconds between two locations.
    package var minimumInterval: Double?
    /// True while a request waits for a decision.
    package var isPending: Bool
    /// True while a request for full accuracy waits for a decision.
    package var isFullAccuracyPending = false
    /// How long the decision holds; `nil` if it has no end.
    package var term: Term?
    /// Why the client has no permission, and what an administrator can do; `nil` if it has permission.
    package var reason: String?

    package init(
        _ status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, minimumInterval: Double? = nil,
        isPending: Bool = false, reason: String? = nil
    ) {
        self.status = status
        self.accuracy = accuracy
        self.minimumInterval = minimumInterval
        self.isPending = isPending
        self.reason = reason
    }
}
