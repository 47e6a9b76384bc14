/// Reads the keys of one table strictly: an unknown key is an error.
package struct TableReader {
    package let document: Document
    package let address: KeyAddress
    package let entries: [String: Node.Entry]
    /// Keys of other tables, so that an error can name the table of a misplaced key.
    let keysElsewhere: [KeyDocumentation]

    package init(
        document: Document, address: KeyAddress, entries: [String: Node.Entry], keysElsewhere: [KeyDocumentation]
    ) {
        self.document = document
        self.address = address
        self.entries = entries
        self.keysElsewhere = keysElsewhere
    }

    /// A table such as `[delivery]`; `nil` if the document has no such table.
    package init?(
        table name: String, of document: Document, keysElsewhere: [KeyDocumentation]
    ) throws(ConfigurationError) {
        guard let node = document.entries[name]?.node else { return nil }
        let address = KeyAddress().appending(name)
        guard case .table(let entries) = node else {
            throw document.error(
                at: address, "is \(node.typeName), not a table", "write its keys below a line [\(name)]")
        }
        self.init(document: document, address: address, entries: entries, keysElsewhere: keysElsewhere)
    }

    /// Reads the keys that are present and leaves the rest of the section unchanged.
    ///
    /// - Parameter otherKeys: Keys of the table that other code reads.
    /// - Parameter explanation: Explains why a key does not belong here, if that is known.
    package func read<Content>(
        _ settings: [Setting<Content>], into content: inout Content, otherKeys: [String] = [],
        explanation: (String) -> (problem: String, remedy: String)? = { _ in nil }
    ) throws(ConfigurationError) {
        try refuseUnknownKeys(known: settings.map(\.name) + otherKeys, explanation: explanation)
        for setting in settings {
            let place = address.appending(setting.name)
            guard let node = entries[setting.name]?.node else {
                guard setting.isRequired else { continue }
                // A missing key has no line, but its table has.
                throw ConfigurationError(
                    origin: document.origin, line: document.line(of: address), key: place.description,
                    problem: "is missing", remedy: "give it \(setting.accepts)")
            }
            do {
                try setting.read(node, &content)
            } catch {
                throw document.error(at: place, error.problem, error.remedy ?? "use \(setting.accepts)")
            }
        }
    }

    /// Throws at the first unknown key, with the nearest known one as a suggestion.
    package func refuseUnknownKeys(
        known: [String], explanation: (String) -> (problem: String, remedy: String)? = { _ in nil }
    ) throws(ConfigurationError) {
        // Report the first one in the text.
        let first = entries.filter { !known.contains($0.key) }
            .min { ($0.value.line, $0.key) < ($1.value.line, $1.key) }
        guard let key = first?.key else { return }
        let place = address.appending(key)
        if let explained = explanation(key) {
            throw document.error(at: place, explained.problem, explained.remedy)
        }
        throw document.error(at: place, "unknown key", advice(on: key, known: known))
    }

    private func advice(on key: String, known: [String]) -> String {
        if let elsewhere = keysElsewhere.first(where: { $0.name == key }) {
            return "it belongs to \(elsewhere.heading)"
        }
        if let meant = Spelling.nearest(to: key.lowercased(), among: known) { return "did you mean \(meant)?" }
        return "known here are \(known.joined(separator: ", "))"
    }
}

/// Suggests corrections of misspelt words.
package enum Spelling {
    /// The candidate with the smallest edit distance, if that is small enough for a typing error.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard word.count <= 64 else { return nil }
        let limit = max(1, word.count / 3)
        return candidates.map { (candidate: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?
            .candidate
    }

    /// How many characters must be inserted, removed, replaced or swapped with their neighbour to turn one word into
    /// the other (optimal string alignment distance).
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first), Array(second))
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            for j in b.indices {
                let substitution = last[j] + (a[i] == b[j] ? 0 : 1)
                var best = min(substitution, last[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[b.count]
    }
}
