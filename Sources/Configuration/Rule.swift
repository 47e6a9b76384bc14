/// What a key accepts, and how it is written.
struct Rule<Value: Sendable>: Sendable {
    /// The values that are accepted, in words.
    let accepts: String
    let read: @Sendable (Node) throws(Refusal) -> Value
    /// The value as TOML; `nil` for one that is written by leaving the key out.
    let written: @Sendable (Value) -> String?
}

/// What is wrong with a value, as the end of a sentence that begins with its key.
struct Refusal: Error {
    let problem: String
    /// What to do, where the rule's ``Rule/accepts`` does not say it.
    var remedy: String?

    init(_ problem: String, remedy: String? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    /// The value is of another type.
    init(_ node: Node, isNot wanted: String) { self.init("is \(node.typeName), not \(wanted)") }
}

extension Rule<Double> {
    /// A finite number within a range; an integer will do.
    static func number(_ range: ClosedRange<Double>, _ unit: String) -> Rule {
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
    static func integer(_ range: ClosedRange<Int>, _ unit: String? = nil) -> Rule {
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
    static let boolean = Rule(accepts: "true or false") { node throws(Refusal) in
        guard case .boolean(let value) = node else { throw Refusal(node, isNot: "a boolean") }
        return value
    } written: {
        "\($0)"
    }
}

extension Rule {
    /// The same, or nothing: by leaving the key out or, where there is one, by a word that says so.
    func orAbsent(_ word: String? = nil) -> Rule<Value?> {
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
    /// Without the `.0` of a whole number.
    fileprivate var short: String {
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
