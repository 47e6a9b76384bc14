extension Rule<String> {
    /// Text that a check finds nothing wrong with.
    static func text(
        _ accepts: String, _ check: @escaping @Sendable (String) throws(Refusal) -> Void
    ) -> Rule {
        Rule(accepts: accepts) { node throws(Refusal) in
            guard case .text(let text) = node else { throw Refusal(node, isNot: "text") }
            guard !text.isEmpty else { throw Refusal("is empty") }
            try check(text)
            return text
        } written: {
            $0.quoted
        }
    }

    /// The path of a file. The daemon has no working directory to speak of, so a relative one would mean nothing.
    static let path = text("an absolute path in quotes") { text throws(Refusal) in
        guard text.hasPrefix("/") else { throw Refusal("\(text.quoted) is not an absolute path") }
        guard text.utf8.count < 4096, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }

    /// The path of a file that node_exporter's textfile collector reads.
    static let metricsFile = text("an absolute path in quotes that ends with .prom") { text throws(Refusal) in
        _ = try path.read(.text(text))
        guard text.hasSuffix(".prom"), !text.hasSuffix("/.prom") else {
            throw Refusal("\(text.quoted) does not end with .prom, and node_exporter reads no other file")
        }
    }

    /// A receiver as gpsd calls it: mostly a path, sometimes a URL.
    static let device = text("the path of a device in quotes, as gpsd calls it") { text throws(Refusal) in
        guard text.utf8.count < 256, text == text.onOneLine, !text.contains(" ") else {
            throw Refusal("\(text.quoted) is too long or has spaces or control characters")
        }
    }

    /// Where a TCP service runs.
    static let host = text("a host name or an IP address in quotes") { text throws(Refusal) in
        if let problem = HostAndPort.problem(withHost: text) { throw problem }
    }

    /// A word to tell one source from another.
    static let sourceName = text("1 to 32 of a-z, 0-9 and - in quotes") { text throws(Refusal) in
        let isAllowed = text.utf8.allSatisfy { $0.isBareKey && $0 != UInt8(ascii: "_") } && text == text.lowercased()
        guard isAllowed, text.utf8.count <= 32 else { throw Refusal("\(text.quoted) is not a name for a source") }
    }

    /// What Linux takes for the name of a group.
    static let group = text("the name of a group in quotes") { text throws(Refusal) in
        let first = text.utf8.first.map { Unicode.Scalar($0) } ?? " "
        let beginsWell = first.properties.isAlphabetic || first == "_"
        let isAllowed = text.utf8.allSatisfy { $0.isBareKey || $0 == UInt8(ascii: ".") }
        guard beginsWell, isAllowed, text.utf8.count <= 32 else {
            throw Refusal("\(text.quoted) is not the name of a group")
        }
    }
}

extension Rule where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    static var choice: Rule { choice(among: Array(Value.allCases)) }
}

extension Rule where Value: RawRepresentable, Value.RawValue == String {
    /// One of these words of an enumeration.
    static func choice(among values: [Value]) -> Rule {
        let words = values.map(\.rawValue)
        return Rule(accepts: "one of " + words.map(\.quoted).joined(separator: ", ")) { node throws(Refusal) in
            guard case .text(let word) = node else { throw Refusal(node, isNot: "text") }
            guard let value = values.first(where: { $0.rawValue == word }) else {
                let meant = Spelling.nearest(to: word.lowercased(), among: words)
                throw Refusal("\(word.quoted) is not a choice", remedy: meant.map { "did you mean \($0.quoted)?" })
            }
            return value
        } written: {
            $0.rawValue.quoted
        }
    }
}
