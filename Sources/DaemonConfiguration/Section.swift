package import StrictTOML

/// A table of the file, such as `[delivery]`.
struct Section: Sendable {
    let name: String
    let keys: [KeyDocumentation]
    let read: @Sendable (Document, inout Configuration) throws(ConfigurationError) -> Void
    /// The keys in which the first configuration differs from the second.
    let differences: @Sendable (Configuration, Configuration) -> Configuration.Differences

    private init<Content>(
        _ name: String, _ content: any WritableKeyPath<Configuration, Content> & Sendable,
        _ settings: [Setting<Content>]
    ) {
        self.name = name
        keys = settings.map { KeyDocumentation($0, table: name) }
        read = { document, configuration throws(ConfigurationError) in
            try TableReader(table: name, of: document, keysElsewhere: Configuration.keys)?
                .read(settings, into: &configuration[keyPath: content])
        }
        differences = { new, old in
            var differences = Configuration.Differences()
            for setting in settings where setting.differs(new[keyPath: content], old[keyPath: content]) {
                differences.add("\(name).\(setting.name)", isReloadable: setting.isReloadable)
            }
            return differences
        }
    }

    /// All but the sources.
    static let all = [
        Section("service", \.service, Configuration.Service.settings),
        Section("delivery", \.delivery, Configuration.Delivery.settings),
        Section("limits", \.limits, Configuration.Limits.settings),
        Section("access", \.access, Configuration.Access.settings),
        Section("privacy", \.privacy, Configuration.Privacy.settings),
        Section("nmea", \.nmea, Configuration.NMEA.settings),
        Section("metrics", \.metrics, Configuration.Metrics.settings),
    ]
}

extension Configuration {
    /// Every key the files may have, in the order in which they are documented.
    package static let keys: [KeyDocumentation] =
        Section.all.flatMap(\.keys)
        + SourceHead.settings.map { KeyDocumentation($0, table: "sources", isInList: true) }
        + SourceWord.allCases.flatMap(\.keys)
}
