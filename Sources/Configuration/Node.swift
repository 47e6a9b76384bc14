/// A value of a TOML document.
enum Node: Sendable, Equatable {
    case integer(Int)
    /// May be infinite or not a number: TOML can say so.
    case number(Double)
    case text(String)
    case boolean(Bool)
    /// A date, a time or both; no key of ours wants one.
    case moment
    case list([Node])
    case table([String: Node])
}

extension Node {
    /// What this is, for a sentence about what is wrong with it.
    var typeName: String {
        switch self {
        case .integer: "an integer"
        case .number: "a floating-point number"
        case .text: "text"
        case .boolean: "a boolean"
        case .moment: "a date or time"
        case .list: "a list"
        case .table: "a table"
        }
    }
}
