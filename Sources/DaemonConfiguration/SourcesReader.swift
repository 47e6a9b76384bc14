import StrictTOML

/// Reads the ranked list `[[sources]]`.
struct SourcesReader {
    let document: Document

    private var address: KeyAddress { KeyAddress().appending("sources") }

    /// - Returns: `nil` where the document does not mention sources.
    func read() throws(ConfigurationError) -> [Configuration.Source]? {
        guard let node = document.entries["sources"]?.node else { return nil }
        guard case .list(let elements) = node else {
            throw document.error(
                at: address, "is \(node.typeName), not a list of tables", "write [[sources]] above each source")
        }
        guard !elements.isEmpty else {
            throw document.error(at: address, "has no source", "name one or leave the list out")
        }
        var sources: [Configuration.Source] = []
        for (index, element) in elements.enumerated() {
            let source = try read(element.node, at: address.appending(index))
            try refuseTakenName(of: source, at: index, taken: sources.map(\.name))
            sources.append(source)
        }
        return sources
    }

    private func read(_ node: Node, at place: KeyAddress) throws(ConfigurationError) -> Configuration.Source {
        guard case .table(let entries) = node else {
            throw document.error(at: place, "is \(node.typeName), not a table", "write [[sources]] above each source")
        }
        let table = TableReader(
            document: document, address: place, entries: entries, keysElsewhere: Configuration.keys)
        var head = SourceHead()
        // The kind decides which other keys there may be. Without one, a key that no kind has may be it, misspelt.
        let otherKeys = entries["kind"] == nil ? SourceWord.allCases.flatMap(\.keys).map(\.name) : Array(entries.keys)
        try table.read(SourceHead.settings, into: &head, otherKeys: otherKeys)
        return Configuration.Source(try kind(head.kind, in: table), name: head.name)
    }

    private func kind(
        _ word: SourceWord, in table: TableReader
    ) throws(ConfigurationError) -> Configuration.Source.Kind {
        switch word {
        case .gpsd: .gpsd(try read(Configuration.GPSD.settings, of: word, startingFrom: .init(), in: table))
        case .simulator:
            .simulator(try read(Configuration.Simulator.settings, of: word, startingFrom: .init(), in: table))
        case .replay: .replay(try read(Configuration.Replay.settings, of: word, startingFrom: .draft, in: table))
        case .file: .file(try read(Configuration.PositionFile.settings, of: word, startingFrom: .init(), in: table))
        case .fixed: .fixed(try read(Configuration.FixedPosition.settings, of: word, startingFrom: .draft, in: table))
        }
    }

    private func read<Content>(
        _ settings: [Setting<Content>], of word: SourceWord, startingFrom defaults: Content, in table: TableReader
    ) throws(ConfigurationError) -> Content {
        var content = defaults
        try table.read(settings, into: &content, otherKeys: SourceHead.settings.map(\.name)) { key in
            let owners = SourceWord.allCases.filter { $0.keys.contains { $0.name == key } }
            guard !owners.isEmpty else { return nil }
            let names = owners.map(\.rawValue).joined(separator: " or ")
            return ("is a key of kind \(names), not of \(word.rawValue)", "remove it or change the kind")
        }
        return content
    }

    private func refuseTakenName(
        of source: Configuration.Source, at index: Int, taken: [String]
    ) throws(ConfigurationError) {
        guard let other = taken.firstIndex(of: source.name) else { return }
        let place = address.appending(index)
        let named = place.appending("name")
        throw ConfigurationError(
            origin: document.origin, line: document.line(of: named) ?? document.line(of: place),
            key: named.description,
            problem: "\(source.name.quoted) is already the name of sources[\(other)]",
            remedy: "give each source a name of its own")
    }
}
