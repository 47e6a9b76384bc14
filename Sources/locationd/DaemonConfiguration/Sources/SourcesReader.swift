import ServiceKit

/// Reads a ranked list of sources.
struct SourcesReader {
    /// The sources themselves, and those that a package of another program adds.
    enum List: String, CaseIterable {
        case all = "sources"
        case additional = "additional-sources"
    }

    let document: Document
    let list: List

    private var address: KeyAddress { KeyAddress().appending(list.rawValue) }
    private var remedy: String { "write [[\(list.rawValue)]] above each source" }

    /// - Returns: `nil` if the document has no such list.
    func read() throws(ConfigurationError) -> [Configuration.Source]? {
        guard let node = document.entries[list.rawValue]?.node else { return nil }
        guard case .list(let elements) = node else {
            throw document.error(at: address, "is \(node.typeName), not a list of tables", remedy)
        }
        guard !elements.isEmpty else {
            throw document.error(at: address, "has no source", "name one or leave the list out")
        }
        var sources: [Configuration.Source] = []
        for (index, element) in elements.enumerated() {
            let source = try read(element.node, at: address.appending(index))
            try refuseDuplicateName(of: source, at: index, names: sources.map(\.name))
            sources.append(source)
        }
        return sources
    }

    private func read(_ node: Node, at place: KeyAddress) throws(ConfigurationError) -> Configuration.Source {
        guard case .table(let entries) = node else {
            throw document.error(at: place, "is \(node.typeName), not a table", remedy)
        }
        let table = TableReader(
            document: document, address: place, entries: entries, keysElsewhere: Configuration.keys)
        var head = SourceHead()
        // The kind decides which other keys are known. If it is missing, a key unknown to every kind may be a misspelt
        // `kind`.
        let otherKeys =
            entries["kind"] == nil
            ? SourceKindName.allCases.flatMap { $0.keys }.map(\.name) : Array(entries.keys)
        try table.read(SourceHead.settings, into: &head, otherKeys: otherKeys)
        return Configuration.Source(try head.kind.kind.read(from: table), name: head.name)
    }

    private func refuseDuplicateName(
        of source: Configuration.Source, at index: Int, names: [String]
    ) throws(ConfigurationError) {
        guard let other = names.firstIndex(of: source.name) else { return }
        let place = address.appending(index)
        let named = place.appending("name")
        throw ConfigurationError(
            origin: document.origin, line: document.line(of: named) ?? document.line(of: place),
            key: named.description,
            problem: "\(source.name.quoted) is already the name of \(list.rawValue)[\(other)]",
            remedy: "give each source a name of its own")
    }
}
