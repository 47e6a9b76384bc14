/// The values that a key accepts, and their TOML form.
package struct Rule<Value: Sendable>: Sendable {
    /// The values that are accepted, in words.
    package let accepts: String
    package let read: @Sendable (Node) throws(Refusal) -> Value
    /// Formats the value as TOML; `nil` for a value that is expressed by leaving the key out.
    package let written: @Sendable (Value) -> String?

    /// - Parameters:
    ///   - accepts: the accepted values, in words.
    ///   - read: converts a node to the value, or throws what is wrong with it.
    ///   - written: formats the value as TOML; `nil` for a value that is expressed by leaving the key out.
    package init(
        accepts: String, read: @escaping @Sendable (Node) throws(Refusal) -> Value,
        written: @escaping @Sendable (Value) -> String?
    ) {
        self.accepts = accepts
        self.read = read
        self.written = written
    }
}

/// What is wrong with a value: the end of a sentence that begins with its key.
package struct Refusal: Error {
    package let problem: String
    /// The remedy, if the rule's ``Rule/accepts`` does not state it.
    package var remedy: String?

    package init(_ problem: String, remedy: String? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    /// The value is of another type.
    package init(_ node: Node, isNot wanted: String) { self.init("is \(node.typeName), not \(wanted)") }
}

extension Rule<Double> {
    /// A finite number within a range; integers are accepted.
    package static func number(_ range: ClosedRange<Double>, _ unit: String) -> Rule {
        Rule(accepts: "a number from \(range.lowerBound.short) to \(range.upperBound.short) (\(unit))") {
            node throws(Refusal) in
            let number: Double
            switch node {
            case .number(let value): number = value
            case .integer(let value): number = Double(value)
            default: throw Refusal(node, isNot: "a number")
            }
            guard range.contains(number) else { throw Refusal("\(number.short) is out of range") }
            return number
        } written: {
            "\($0)"
        }
    }
}

extension Rule<Int> {
    /// An integer within a range.
    package static func integer(_ range: ClosedRange<Int>, _ unit: String? = nil) -> Rule {
        let unit = unit.map { " (\($0))" } ?? ""
        return Rule(accepts: "an integer from \(range.lowerBound) to \(range.upperBound)\(unit)") {
            node throws(Refusal) in
            guard case .integer(let value) = node else { throw Refusal(node, isNot: "an integer") }
            guard range.contains(value) else { throw Refusal("\(value) is out of range") }
            return value
        } written: {
            "\($0)"
        }
    }
}

extension Rule<Bool> {
    package static let boolean = Rule(accepts: "true or false") { node throws(Refusal) in
        guard case .boolean(let value) = node else { throw Refusal(node, isNot: "a boolean") }
        return value
    } written: {
        "\($0)"
    }
}

extension Rule<String> {
    /// A string that passes a check.
    package static func text(
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

    /// The path of a file. It must be absolute, because the daemon's working directory is arbitrary.
    package static let path = text("an absolute path in quotes") { text throws(Refusal) in
        guard text.hasPrefix("/") else { throw Refusal("\(text.quoted) is not an absolute path") }
        guard text.utf8.count < 4096, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}

extension Rule where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    package static var choice: Rule { choice(among: Array(Value.allCases)) }
}

extension Rule where Value: RawRepresentable, Value.RawValue == String {
    /// One of the given words of an enumeration.
    package static func choice(among values: [Value]) -> Rule {
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

extension Rule {
    /// The same rule for an optional value: `nil` is expressed by leaving the key out or, if given, by `word`.
    package func orAbsent(_ word: String? = nil) -> Rule<Value?> {
        let alternative = word.map { $0.isEmpty ? ", or \"\" for none" : ", or \($0.quoted)" } ?? ""
        return Rule<Value?>(accepts: accepts + alternative) { [read] node throws(Refusal) in
            if let word, node == .text(word) { return nil }
            return try read(node)
        } written: { [written] value in
            if let value { written(value) } else { word.map(\.quoted) }
        }
    }
}

extension Double {
    /// The number without the `.0` of a whole number.
    fileprivate var short: String {
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
