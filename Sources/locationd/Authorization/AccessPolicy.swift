@_spi(Programs) package import LocationModel

/// The policy: which clients may receive the position, and which may administer.
///
/// The administrator's rules come first, then the built-in ones: uid 0, the daemon's own user and the members of one
/// group are always permitted; everyone else, and every bridge, needs a decision. The first rule that matches applies.
package struct AccessPolicy: Sendable, Hashable {
    package let daemonUID: UInt32
    /// The trusted group; `nil` if the system has no group of the configured name.
    package let group: UInt32?
    package let groupName: String
    /// The administrator's rules, in their order.
    package var rules: [PolicyRule]
    /// What users may decide about their own programs, in the administrator's order; see ``ceiling(of:)``.
    package var ceilings: [UserCeiling] = []

    package init(daemonUID: UInt32, group: UInt32?, groupName: String, rules: [PolicyRule] = []) {
        self.daemonUID = daemonUID
        self.group = group
        self.groupName = groupName
        self.rules = rules
    }

    /// The rule that applies to a client.
    package func rule(for principal: Principal) -> PolicyRule {
        if let rule = rules.first(where: { $0.matches(principal) }) { return rule }
        let isTrusted = principal.bridge == nil && isTrusted(principal)
        return PolicyRule(.everyone, isTrusted ? .authorizedAlways : .ask, origin: "the built-in policy")
    }

    /// The rule that forbids a subject whatever is decided, as far as it does not depend on the subject's groups.
    package func restriction(of subject: Subject) -> PolicyRule? {
        rule(for: subject).flatMap { $0.outcome == .restricted ? $0 : nil }
    }

    /// The rule that reduces a subject's accuracy whatever is decided, as far as it does not depend on the subject's
    /// groups.
    package func reduction(of subject: Subject) -> PolicyRule? {
        rule(for: subject).flatMap { $0.accuracy != .full ? $0 : nil }
    }

    private func rule(for subject: Subject) -> PolicyRule? {
        rules.first { rule in
            switch (rule.match, subject) {
            case (.uid(let uid), .uid(let asked)): uid == asked
            case (.unit(let unit), .unit(let asked)): unit == asked
            case (.bridge(let bridge), .bridge(let asked)): bridge == asked
            case (.everyone, _): true
            case (.group, _), (.uid, _), (.unit, _), (.bridge, _): false
            }
        }
    }

    /// True if a rule forbids a user, whatever the groups and unit of its processes.
    func restrictsAlways(uid: UInt32) -> Bool {
        for rule in rules {
            switch rule.match {
            case .everyone: return rule.outcome == .restricted
            case .uid(let other): if other == uid { return rule.outcome == .restricted }
            case .group, .unit: if rule.outcome != .restricted { return false }
            case .bridge: break
            }
        }
        return false
    }

    /// Rules that name a unit; they cannot apply where the kernel does not report units.
    package var unitRules: [PolicyRule] {
        rules.filter { if case .unit = $0.match { true } else { false } }
    }

    package func mayAdminister(_ principal: Principal) -> Bool {
        isTrusted(principal)
    }

    /// True for a program that may call on behalf of another user's program: root, the daemon's own user, and a program
    /// to which the first rule that names its user or unit gives the right.
    ///
    /// Rules about groups and everyone neither give nor take the right: an administrator's last rule for everyone must
    /// not take it from a bridge whose rule stands in a file of its own, which is read after that one.
    package func mayServeOthers(_ principal: Principal) -> Bool {
        guard principal.bridge == nil else { return false }
        if isExemptFromLimits(principal) { return true }
        return rules.first { $0.isNaming(principal) }?.mayServeOthers == true
    }

    /// The users who may call on behalf of others whatever the unit of their processes; root and the daemon's own user,
    /// who always may, are not among them.
    package var usersServingOthers: Set<UInt32> {
        Set(
            rules.compactMap { rule in
                guard case .uid(let uid) = rule.match, rule.mayServeOthers else { return nil }
                return uid
            })
    }

    /// True for root and the daemon's own user, which are exempt from the limits so that an administrator always has
    /// access.
    package func isExemptFromLimits(_ principal: Principal) -> Bool {
        isExemptFromLimits(uid: principal.uid) && !principal.isMakerOfSocket
    }

    package func isExemptFromLimits(uid: UInt32) -> Bool {
        uid == 0 || uid == daemonUID
    }

    private func isTrusted(_ principal: Principal) -> Bool {
        if isExemptFromLimits(uid: principal.uid) { return !principal.isMakerOfSocket }
        return group.map(principal.groups.contains) == true
    }

    /// Whether a principal has none of its user's own rights, because another program may use its socket.
    func hasLostTrust(_ principal: Principal) -> Bool {
        principal.isMakerOfSocket && isExemptFromLimits(uid: principal.uid)
    }
}

/// One rule of the administrator's policy: whom it matches, and what they may receive.
package struct PolicyRule: Sendable, Hashable {
    package enum Match: Sendable, Hashable {
        case uid(UInt32)
        case group(UInt32)
        case unit(String)
        case bridge(Bridge)
        case everyone
    }

    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case authorizedAlways, authorizedWhenInUse
        /// Never permitted; no decision changes that.
        case restricted
        /// As decided; not permitted before a decision.
        case ask
    }

    package var match: Match
    package var outcome: Outcome
    package var accuracy: AccuracyAuthorization
    /// The least seconds between two locations.
    package var minimumInterval: Double?
    /// Whether they may call on behalf of other users' programs, which are then judged in their place.
    package var mayServeOthers: Bool
    /// Where the rule is written, such as `/etc/locationd/policy.toml:12`.
    package var origin: String

    package init(
        _ match: Match, _ outcome: Outcome, accuracy: AccuracyAuthorization = .full, minimumInterval: Double? = nil,
        mayServeOthers: Bool = false, origin: String
    ) {
        self.match = match
        self.outcome = outcome
        self.accuracy = accuracy
        self.minimumInterval = minimumInterval
        self.mayServeOthers = mayServeOthers
        self.origin = origin
    }

    /// On a bridge a rule about the reader does not apply: its permission is not for the bridge's other readers.
    func matches(_ principal: Principal) -> Bool {
        switch match {
        case .uid(let uid): principal.bridge == nil && principal.uid == uid
        case .group(let group): principal.bridge == nil && principal.groups.contains(group)
        case .unit(let unit): principal.bridge == nil && principal.unit == unit
        case .bridge(let bridge): principal.bridge == bridge
        case .everyone: true
        }
    }

    /// True for a rule that names the principal's own user or unit.
    fileprivate func isNaming(_ principal: Principal) -> Bool {
        switch match {
        case .uid, .unit: matches(principal)
        case .group, .bridge, .everyone: false
        }
    }
}
