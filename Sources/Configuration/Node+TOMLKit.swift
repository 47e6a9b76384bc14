import TOMLKit

extension Node {
    /// Why a text is not TOML.
    struct SyntaxError: Error {
        let line: Int
        let problem: String
    }

    /// Reads a TOML document into a table.
    ///
    /// - Precondition: The text has no NUL, which would end it silently, and ``KeyLines`` found no obstacle in it.
    static func parsing(_ text: String) throws(SyntaxError) -> [String: Node] {
        do {
            return entries(of: try TOMLTable(string: text))
        } catch let error as TOMLParseError {
            throw SyntaxError(line: error.source.begin.line, problem: error.description)
        } catch {
            throw SyntaxError(line: 1, problem: "the parser gives up without a reason")
        }
    }

    private static func entries(of table: TOMLTable) -> [String: Node] {
        var entries: [String: Node] = [:]
        for key in table.keys {
            if let value = table[key] { entries[key] = Node(value) }
        }
        return entries
    }

    private init(_ value: any TOMLValueConvertible) {
        switch value.type {
        case .int: self = value.int.map(Node.integer) ?? .moment
        case .double: self = value.double.map(Node.number) ?? .moment
        case .string: self = value.string.map(Node.text) ?? .moment
        case .bool: self = value.bool.map(Node.boolean) ?? .moment
        case .date, .time, .dateTime: self = .moment
        case .array: self = .list((value.array.map(Array.init) ?? []).map { Node($0) })
        case .table: self = .table(value.table.map(Self.entries) ?? [:])
        }
    }
}
