import Authorization
import StrictTOML

/// Reads one `[[rules]]` of the policy.
struct RuleReader {
    let table: TableReader
    let names: any NameLookup
    let unitsAreTold: Bool

    /// - Parameter origin: Where the rule is written.
    func read(origin: String) throws(ConfigurationError) -> PolicyRule {
        var draft = RuleDraft()
        try table.read(RuleDraft.settings, into: &draft)
        let match = try match(of: draft)
        if draft.authorization == .restricted { try refuseAmounts() }
        try refuseUntoldUnit(match, draft.authorization)
        try refuseSessionOfABridge(match, draft.authorization)
        return PolicyRule(
            match, draft.authorization, accuracy: draft.accuracy, minimumInterval: draft.minimumInterval, origin: origin
        )
    }

    private func match(of draft: RuleDraft) throws(ConfigurationError) -> PolicyRule.Match {
        let given = RuleDraft.matches.filter { table.entries[$0] != nil }
        guard given.count < 2 else {
            throw table.document.error(
                at: table.address, "has \(given.joined(separator: " and ")), but a rule is about one of them",
                "write a rule for each")
        }
        if let user = draft.user { return .uid(try number(of: user, "user", overflow: "nobody", names.uid)) }
        if let group = draft.group { return .group(try number(of: group, "group", overflow: "nogroup", names.gid)) }
        if let unit = draft.unit { return .unit(unit) }
        if let bridge = draft.bridge { return .bridge(bridge) }
        if draft.isForEveryone == true { return .everyone }
        throw table.document.error(
            at: table.address, "does not say whom it is about",
            "give it one of \(RuleDraft.matches.joined(separator: ", "))")
    }

    /// - Parameter kind: `user` or `group`, which is also the key.
    private func number(
        of account: AccountName, _ kind: String, overflow: String,
        _ find: (String) throws(NameLookupError) -> UInt32?
    ) throws(ConfigurationError) -> UInt32 {
        let place = table.address.appending(kind)
        let number: UInt32
        switch account {
        case .number(let value): number = value
        case .name(let name):
            var found: UInt32?
            do {
                found = try find(name)
            } catch {
                throw table.document.error(
                    at: place, "the \(kind) \(name.quoted) cannot be looked up: \(error.reason)",
                    "write the number or repair the system's name service")
            }
            guard let found else {
                throw table.document.error(
                    at: place, "the system has no \(kind) \(name.quoted)", "correct the name or remove the rule")
            }
            number = found
        }
        // The kernel says so where it cannot name somebody, and uses the highest number for "none".
        guard number != Principal.overflowUID, number != UInt32.max else {
            throw table.document.error(
                at: place, "\(number) is nobody's (\(overflow)) and may stand for anyone", "name another \(kind)")
        }
        return number
    }

    private func refuseAmounts() throws(ConfigurationError) {
        guard let key = RuleDraft.amounts.first(where: { table.entries[$0] != nil }) else { return }
        throw table.document.error(
            at: table.address.appending(key), "has no meaning where nothing is given (restricted)", "remove it")
    }

    private func refuseSessionOfABridge(
        _ match: PolicyRule.Match, _ outcome: PolicyRule.Outcome
    ) throws(ConfigurationError) {
        guard case .bridge = match, outcome == .authorizedWhenInUse else { return }
        throw table.document.error(
            at: table.address.appending("authorization"), "has no meaning for a bridge, which never logs in",
            "say \"authorizedAlways\" or \"ask\"")
    }

    /// A rule that gives a unit something merely gives nothing where units are not told. One that takes something away
    /// would give it back.
    private func refuseUntoldUnit(
        _ match: PolicyRule.Match, _ outcome: PolicyRule.Outcome
    ) throws(ConfigurationError) {
        guard case .unit = match, !unitsAreTold, outcome == .restricted || outcome == .ask else { return }
        throw table.document.error(
            at: table.address.appending("unit"),
            "the kernel does not tell which unit a program is of (Linux 6.13 does), so \(outcome.rawValue.quoted) "
                + "would not hold",
            "name the user of that unit instead")
    }
}
