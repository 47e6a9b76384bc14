import Authorization
import StrictTOML

/// Reads the ordered list `[[rules]]` of one file of the policy.
///
/// Whatever is not understood is a mistake, so that a misspelt word never lets anyone know.
struct PolicyReader {
    let document: Document
    let names: any NameLookup
    /// Whether the kernel tells which unit a program belongs to.
    let unitsAreTold: Bool

    private var address: KeyAddress { KeyAddress().appending(PolicyFile.list) }

    /// The rules in their order.
    func read() throws(ConfigurationError) -> [PolicyRule] {
        try TableReader(document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: [])
            .refuseUnknownKeys(known: [PolicyFile.list])
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
        return try RuleReader(table: table, names: names, unitsAreTold: unitsAreTold)
            .read(origin: "\(document.origin):\(element.line)".onOneLine)
    }

    /// The first rule that matches decides, so one after it about the same says nothing, whatever it says.
    private func refuseUnreachable(
        _ index: Int, _ match: PolicyRule.Match, after places: [PolicyRule.Match: Int]
    ) throws(ConfigurationError) {
        let place = address.appending(index)
        if let earlier = places[.everyone] {
            throw document.error(
                at: place, "can never match, for \(address.appending(earlier)) above it is for everyone",
                "move it above that rule or remove it")
        }
        if let earlier = places[match] {
            throw document.error(
                at: place, "can never match, for \(address.appending(earlier)) above it is about the same",
                "leave one of the two")
        }
    }
}
