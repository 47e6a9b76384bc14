/// A JSON object (RFC 8259) that grows member by member; absent values leave no member.
struct JSONObject {
    private var members: [String] = []

    /// The object as text, on one line.
    var text: String { "{" + members.joined(separator: ",") + "}" }

    /// Adds a number; one that is not finite counts as absent, since JSON cannot say it.
    mutating func add(_ name: String, _ number: Double?) {
        add(name, json: number?.plainDecimal)
    }

    /// Adds a whole number.
    mutating func add(_ name: String, _ number: (some BinaryInteger)?) {
        add(name, json: number.map { String($0) })
    }

    /// Adds a string.
    mutating func add(_ name: String, _ string: String?) {
        add(name, json: string.map(Self.quoted))
    }

    /// Adds a truth value.
    mutating func add(_ name: String, _ truth: Bool) {
        add(name, json: truth ? "true" : "false")
    }

    /// Adds what is JSON already.
    mutating func add(_ name: String, json: String?) {
        guard let json else { return }
        members.append(Self.quoted(name) + ":" + json)
    }

    /// A JSON string, quotes included.
    ///
    /// Beyond what JSON demands, every character that some reader takes for a line's end or for a control is escaped,
    /// so that one line stays one line.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: quoted += "\\" + String(scalar)
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
