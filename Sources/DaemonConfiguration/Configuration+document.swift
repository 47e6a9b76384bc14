import StrictTOML

extension Configuration {
    /// Takes over what a document says, key by key; its list of sources replaces the one before.
    mutating func apply(_ document: Document) throws(ConfigurationError) {
        try TableReader(
            document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: Configuration.keys
        ).refuseUnknownKeys(known: Section.all.map(\.name) + ["sources"]) { key in
            guard key == PolicyFile.list else { return nil }
            return ("is not read here", "write the rules in \(PolicyFile.name) beside this file")
        }
        for section in Section.all { try section.read(document, into: &self) }
        if let sources = try SourcesReader(document: document).read() { self.sources = sources }
    }
}
