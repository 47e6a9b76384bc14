import Authorization
@_spi(Programs) import LocationModel
import ServiceKit

/// Reads the ordered list `[[rules]]` of a policy file, and its table `[users-decide]`.
///
/// Everything unknown is an error, so that a misspelt key never grants permission.
struct PolicyReader {
    let document: Document
    let names: any NameLookup
    /// Whether the kernel reports the unit of a process.
    let kernelReportsUnits: Bool

    private var address: KeyAddress { KeyAddress().appending(PolicyFile.list) }

    /// The rules in their order.
    func read() throws(ConfigurationError) -> [PolicyRule] {
        try TableReader(document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: [])
            .refuseUnknownKeys(known: [PolicyFile.list, PolicyFile.usersDecide])
        guard let node = document.entries[PolicyFile.list]?.node else { return [] }
        guard case .list(let elements) = node else {
            throw document.error(
                at: address, "is \(node.typeName), not a list of tables", "write [[rules]] above each rule")
        }
        guard !elements.isEmpty else {
            throw document.error(at: address, "has no rule", "write one or leave the list out")
        }
        var rules: [PolicyRule] = []
        var places: [PolicyRule.Match: Int] = [:]
        for (index, element) in elements.enumerated() {
            let rule = try read(element, at: address.appending(index))
            try refuseUnreachable(index, rule.match, after: places)
            places[rule.match] = index
            rules.append(rule)
        }
        return rules
    }

    private func read(_ element: Node.Entry, at place: KeyAddress) throws(ConfigurationError) -> PolicyRule {
        guard case .table(let entries) = element.node else {
            throw document.error(
                at: place, "is \(element.node.typeName), not a table", "write [[rules]] above each rule")
        }
        let table = TableReader(document: document, address: place, entries: entries, keysElsewhere: [])
        return try RuleReader(table: table, names: names, kernelReportsUnits: kernelReportsUnits)
            .read(origin: "\(document.origin):\(element.line)".onOneLine)
    }

    /// Rejects a rule that an earlier rule with the same match makes unreachable.
    private func refuseUnreachable(
        _ index: Int, _ match: PolicyRule.Match, after places: [PolicyRule.Match: Int]
    ) throws(ConfigurationError) {
        let place = address.appending(index)
        if let earlier = places[.everyone] {
            throw document.error(
                at: place, "can never match, because \(address.appending(earlier)) above it matches everyone",
                "move it above that rule or remove it")
        }
        if let earlier = places[match] {
            throw document.error(
                at: place, "can never match, for \(address.appending(earlier)) above it is about the same",
                "leave one of the two")
        }
    }
}

/// Reads one `[[rules]]` of the policy.
struct RuleReader {
    let table: TableReader
    let names: any NameLookup
    let kernelReportsUnits: Bool

    /// - Parameter origin: File and line of the rule.
    func read(origin: String) throws(ConfigurationError) -> PolicyRule {
        var draft = RuleDraft()
        try table.read(RuleDraft.settings, into: &draft)
        let match = try match(of: draft)
        if draft.authorization == .restricted { try refuseAmounts() }
        try refuseServiceOfMany(match)
        try refuseUnreportedUnit(match, draft.authorization)
        try refuseSessionOfABridge(match, draft.authorization)
        return PolicyRule(
            match, draft.authorization, accuracy: draft.accuracy, minimumInterval: draft.minimumInterval,
            mayServeOthers: draft.mayServeOthers, origin: origin)
    }

    private func match(of draft: RuleDraft) throws(ConfigurationError) -> PolicyRule.Match {
        let given = RuleDraft.matches.filter { table.entries[$0] != nil }
        guard given.count < 2 else {
            throw table.document.error(
                at: table.address, "has \(given.joined(separator: " and ")), but a rule has exactly one of them",
                "write a rule for each")
        }
        if let user = draft.user { return .uid(try table.uid(of: user, names)) }
        if let group = draft.group { return .group(try table.gid(of: group, names)) }
        if let unit = draft.unit { return .unit(unit) }
        if let bridge = draft.bridge { return .bridge(bridge) }
        if draft.isForEveryone == true { return .everyone }
        throw table.document.error(
            at: table.address, "does not say which programs it matches",
            "give it one of \(RuleDraft.matches.joined(separator: ", "))")
    }

    private func refuseAmounts() throws(ConfigurationError) {
        guard let key = RuleDraft.amounts.first(where: { table.entries[$0] != nil }) else { return }
        throw table.document.error(
            at: table.address.appending(key), "has no effect in a rule with restricted", "remove it")
    }

    /// The right to call on behalf of others is given to one service, and not to whoever is in a group.
    private func refuseServiceOfMany(_ match: PolicyRule.Match) throws(ConfigurationError) {
        switch match {
        case .uid, .unit: return
        case .group, .bridge, .everyone: break
        }
        guard table.entries[RuleDraft.onBehalfOf] != nil else { return }
        throw table.document.error(
            at: table.address.appending(RuleDraft.onBehalfOf), "is for a rule with user or unit alone",
            "remove it, or name the user or unit of each program that serves others")
    }

    private func refuseSessionOfABridge(
        _ match: PolicyRule.Match, _ outcome: PolicyRule.Outcome
    ) throws(ConfigurationError) {
        guard case .bridge = match, outcome == .authorizedWhenInUse else { return }
        throw table.document.error(
            at: table.address.appending("authorization"), "has no effect for a bridge, which has no login session",
            "say \"authorizedAlways\" or \"ask\"")
    }

    /// Without units from the kernel, a rule that grants a unit something only grants nothing. A rule that restricts a
    /// unit would leave it unrestricted, so it is an error.
    private func refuseUnreportedUnit(
        _ match: PolicyRule.Match, _ outcome: PolicyRule.Outcome
    ) throws(ConfigurationError) {
        guard case .unit = match, !kernelReportsUnits, outcome == .restricted || outcome == .ask else { return }
        throw table.document.error(
            at: table.address.appending("unit"),
            "the kernel does not report the unit of a program (Linux 6.13 does), so \(outcome.rawValue.quoted) "
                + "would have no effect",
            "name the user of that unit instead")
    }
}

/// The values of one `[[rules]]`, before names are looked up.
struct RuleDraft: SettingsTable {
    var user: AccountName?
    var group: AccountName?
    var unit: String?
    var bridge: Bridge?
    var isForEveryone: Bool?
    var authorization = PolicyRule.Outcome.ask
    var accuracy = AccuracyAuthorization.full
    var minimumInterval: Double?
    var mayServeOthers = false

    static let onBehalfOf = "on-behalf-of"

    /// The keys that state what a rule matches; a rule has exactly one of them.
    static let matches = ["user", "group", "unit", "bridge", "everyone"]

    /// The keys that limit what is granted.
    static let amounts = ["accuracy", "minimum-interval"]

    static let settings: [Setting<Self>] = [
        .init("user", \.user, Rule.account("user", "uid").orAbsent(), "Matches every program of this user."),
        .init("group", \.group, Rule.account("group", "gid").orAbsent(), "Matches every program that has this group."),
        .init("unit", \.unit, Rule.unit.orAbsent(), "Matches the programs of this system service."),
        .init(
            "bridge", \.bridge, Rule<Bridge>.choice.orAbsent(),
            "Matches the output of this bridge, whichever program reads it."),
        .init("everyone", \.isForEveryone, Rule.onlyTrue.orAbsent(), "Matches every program and every bridge."),
        .init("authorization", \.authorization, .choice, isRequired: true, "The authorization of these programs."),
        .init("accuracy", \.accuracy, Rule.choice(among: [.full, .reduced]), "The accuracy of their locations."),
        .init(
            "minimum-interval", \.minimumInterval, Rule.number(0...86400, "seconds").orAbsent(),
            "The minimum interval between two of their locations."),
        .init(
            onBehalfOf, \.mayServeOthers, .boolean,
            "Whether these programs may call on behalf of other users' programs, which are judged in their place."),
    ]
}

extension Rule<String> {
    /// A system service by its full unit name.
    static let unit = text("the name of a service in quotes, such as \"navigator.service\"") { text throws(Refusal) in
        guard !text.contains("@.") else {
            throw Refusal(
                "\(text.quoted) is a template, which no program belongs to",
                remedy: "name one of its instances, such as \(text.replacing("@.", with: "@1.").quoted)")
        }
        guard !Subject.isUnit(text) else { return }
        let completed = text + ".service"
        let isWithoutSuffix = !text.contains(".") && Subject.isUnit(completed)
        throw Refusal(
            "\(text.quoted) is not the name of a service",
            remedy: isWithoutSuffix ? "write \(completed.quoted)" : nil)
    }
}

extension Rule<Bool> {
    /// A key that may only be `true`; otherwise it is left out.
    static let onlyTrue = Rule(accepts: "true") { node throws(Refusal) in
        guard try boolean.read(node) else { throw Refusal("is false", remedy: "say true or remove it") }
        return true
    } written: {
        "\($0)"
    }
}
