/// Where a value stands in a TOML document, such as `sources[0].port`.
struct KeyAddress: Hashable, CustomStringConvertible {
    enum Step: Hashable {
        case key(String)
        /// A place in a list, counted from 0.
        case index(Int)
    }

    private(set) var steps: [Step] = []

    func appending(_ key: String) -> KeyAddress { appending(.key(key)) }

    func appending(_ index: Int) -> KeyAddress { appending(.index(index)) }

    func appending(_ step: Step) -> KeyAddress {
        var longer = self
        longer.steps.append(step)
        return longer
    }

    /// Keys joined by dots; one that TOML wants quoted is quoted.
    var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .key(let key): text += (text.isEmpty ? "" : ".") + (Self.isBare(key) ? key : key.quoted)
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }

    private static func isBare(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 64 && key.utf8.allSatisfy(\.isBareKey)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether TOML lets this byte stand in a key without quotes.
    var isBareKey: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
