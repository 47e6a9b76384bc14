import StrictTOML

/// A user or a group as the policy writes it.
enum AccountName: Sendable, Hashable {
    case number(UInt32)
    case name(String)
}

extension Rule<AccountName> {
    /// A name, or a number as an integer or as text.
    ///
    /// - Parameter kind: `user` or `group`.
    /// - Parameter number: What its number is called.
    static func account(_ kind: String, _ number: String) -> Rule {
        Rule(accepts: "the name of a \(kind) in quotes or a \(number)") { node throws(Refusal) in
            switch node {
            case .integer(let value):
                guard let value = UInt32(exactly: value) else { throw Refusal("\(value) is out of range") }
                return .number(value)
            case .text(let text):
                guard !text.isEmpty else { throw Refusal("is empty") }
                guard text.utf8.allSatisfy(\.isDigit) else { return .name(text) }
                // A leading zero means another number to some.
                guard let value = UInt32(text), String(value) == text else {
                    throw Refusal("\(text.quoted) is not a \(number)")
                }
                return .number(value)
            default: throw Refusal(node, isNot: "the name or number of a \(kind)")
            }
        } written: { account in
            switch account {
            case .number(let value): "\(value)"
            case .name(let name): name.quoted
            }
        }
    }
}
