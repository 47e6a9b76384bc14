/// A table of the file, such as `[delivery]`.
struct Section: Sendable {
    let name: String
    /// Whether a running daemon can take over what changed in it.
    let isReloadable: Bool
    let keys: [KeyDocumentation]
    let read: @Sendable (Document, inout Configuration) throws(ConfigurationError) -> Void
    /// The names of the keys that differ.
    let differences: @Sendable (Configuration, Configuration) -> [String]

    private init<Content>(
        _ name: String, _ content: any WritableKeyPath<Configuration, Content> & Sendable,
        _ settings: [Setting<Content>], isReloadable: Bool
    ) {
        self.name = name
        self.isReloadable = isReloadable
        keys = settings.map { KeyDocumentation($0, table: name) }
        read = { document, configuration throws(ConfigurationError) in
            guard let node = document.entries[name]?.node else { return }
            let address = KeyAddress().appending(name)
            guard case .table(let entries) = node else {
                throw document.error(
                    at: address, "is \(node.typeName), not a table", "write its keys below a line [\(name)]")
            }
            try TableReader(document: document, address: address, entries: entries)
                .read(settings, into: &configuration[keyPath: content])
        }
        differences = { new, old in
            settings.filter { $0.differs(new[keyPath: content], old[keyPath: content]) }.map(\.name)
        }
    }

    /// All but the sources.
    static let all = [
        Section("service", \.service, Configuration.Service.settings, isReloadable: true),
        Section("delivery", \.delivery, Configuration.Delivery.settings, isReloadable: true),
        Section("limits", \.limits, Configuration.Limits.settings, isReloadable: true),
        // The sockets' group is set when they are made.
        Section("access", \.access, Configuration.Access.settings, isReloadable: false),
    ]
}

extension Configuration {
    /// Every key the files may have, in the order in which they are documented.
    package static let keys: [KeyDocumentation] =
        Section.all.flatMap(\.keys)
        + SourceHead.settings.map { KeyDocumentation($0, table: "sources") }
        + SourceWord.allCases.flatMap(\.keys)
}
