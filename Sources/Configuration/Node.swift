/// A value of a TOML document. There are no dates and times: no key of ours wants one.
enum Node: Sendable, Equatable {
    case integer(Int)
    /// May be infinite or not a number: TOML can say so.
    case number(Double)
    case text(String)
    case boolean(Bool)
    case list([Entry])
    case table([String: Entry])

    /// A value and where it stands.
    struct Entry: Sendable, Equatable {
        /// The line that first mentions it: a later one only reopens a table.
        let line: Int
        let node: Node
    }
}

extension Node {
    /// What this is, for a sentence about what is wrong with it.
    var typeName: String {
        switch self {
        case .integer: "an integer"
        case .number: "a floating-point number"
        case .text: "text"
        case .boolean: "a boolean"
        case .list: "a list"
        case .table: "a table"
        }
    }
}
