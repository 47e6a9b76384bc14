/// A table that the rest of the text may still add to.
final class TableDraft {
    /// How the table was created, which decides what may add to it.
    private enum Origin {
        /// As a part of another table's header, so its own header may follow.
        case path
        /// By a dotted key. Other dotted keys may add to it, but no header.
        case dottedKey
        /// By a header or braces. Only the keys after the header or in the braces add to it.
        case own
    }

    private enum Content {
        /// Complete: nothing may add to a list in brackets or a table in braces.
        case value(Node.Entry)
        case table(TableDraft)
        /// By `[[header]]`: one table for each.
        case tables(ListDraft)
    }

    /// A list of tables, of which the last may still grow.
    private final class ListDraft {
        let first: TableDraft
        private(set) var others: [TableDraft] = []

        init(_ first: TableDraft) { self.first = first }

        var newest: TableDraft { others.last ?? first }

        func add(_ table: TableDraft) { others.append(table) }
    }

    let address: KeyAddress
    private let line: Int
    private var origin: Origin
    private var contents: [String: Content] = [:]

    private init(_ address: KeyAddress, _ origin: Origin, at line: Int) {
        self.address = address
        self.line = line
        self.origin = origin
    }

    /// An empty table, at the top of the document or in braces.
    convenience init(at address: KeyAddress = KeyAddress()) { self.init(address, .own, at: 1) }

    var entries: [String: Node.Entry] {
        contents.mapValues { content in
            switch content {
            case .value(let entry): entry
            case .table(let table): table.entry
            case .tables(let list):
                Node.Entry(line: list.first.line, node: .list(([list.first] + list.others).map(\.entry)))
            }
        }
    }

    private var entry: Node.Entry { Node.Entry(line: line, node: .table(entries)) }

    /// Adds `name = value`.
    func add(_ entry: Node.Entry, as name: String) throws(SyntaxError) {
        guard contents[name] == nil else { throw duplicateKey(name, at: entry.line) }
        contents[name] = .value(entry)
    }

    /// The table to which a dotted key adds its value.
    func table(ofDottedKey parents: [String], at line: Int) throws(SyntaxError) -> TableDraft {
        var table = self
        for name in parents {
            switch table.contents[name] {
            case nil: table = table.addTable(name, .dottedKey, at: line)
            case .table(let inner) where inner.origin != .own:
                inner.origin = .dottedKey
                table = inner
            default: throw table.duplicateKey(name, at: line)
            }
        }
        return table
    }

    /// Opens the table of a header `[parents.name]`.
    func open(_ name: String, in parents: [String], at line: Int) throws(SyntaxError) -> TableDraft {
        let table = try table(ofPath: parents, at: line)
        switch table.contents[name] {
        case nil: return table.addTable(name, .own, at: line)
        case .table(let inner) where inner.origin == .path:
            inner.origin = .own
            return inner
        default: throw table.duplicateKey(name, at: line)
        }
    }

    /// Appends the table of a header `[[parents.name]]` to its list.
    func append(_ name: String, in parents: [String], at line: Int) throws(SyntaxError) -> TableDraft {
        let table = try table(ofPath: parents, at: line)
        let address = table.address.appending(name)
        switch table.contents[name] {
        case nil:
            let first = TableDraft(address.appending(0), .own, at: line)
            table.contents[name] = .tables(ListDraft(first))
            return first
        case .tables(let list):
            let next = TableDraft(address.appending(list.others.count + 1), .own, at: line)
            list.add(next)
            return next
        default: throw table.duplicateKey(name, at: line)
        }
    }

    private func table(ofPath parents: [String], at line: Int) throws(SyntaxError) -> TableDraft {
        var table = self
        for name in parents {
            switch table.contents[name] {
            case nil: table = table.addTable(name, .path, at: line)
            case .table(let inner): table = inner
            case .tables(let list): table = list.newest
            case .value: throw table.duplicateKey(name, at: line)
            }
        }
        return table
    }

    private func addTable(_ name: String, _ origin: Origin, at line: Int) -> TableDraft {
        let table = TableDraft(address.appending(name), origin, at: line)
        contents[name] = .table(table)
        return table
    }

    private func duplicateKey(_ name: String, at line: Int) -> SyntaxError {
        let earlier = entries[name].map { " on line \($0.line)" } ?? ""
        return SyntaxError(at: line, "\(address.appending(name)) is already there\(earlier)")
    }
}
