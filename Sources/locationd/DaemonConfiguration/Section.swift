package import ServiceKit

/// A table of the file, such as `[delivery]`.
struct Section: Sendable {
    let name: String
    let settings: [Setting<Configuration>]

    init(_ name: String, _ settings: [Setting<Configuration>]) {
        self.name = name
        self.settings = settings
    }

    var keys: [KeyDocumentation] { settings.map { KeyDocumentation($0, table: name) } }

    func read(_ document: Document, into configuration: inout Configuration) throws(ConfigurationError) {
        try TableReader(table: name, of: document, keysElsewhere: Configuration.keys)?
            .read(settings, into: &configuration)
    }
}

extension Configuration {
    /// All keys of the files, in the order of their documentation.
    package static let keys: [KeyDocumentation] =
        Section.all.flatMap(\.keys)
        + SourceHead.settings.map { KeyDocumentation($0, table: "sources", isInList: true) }
        + SourceKindName.allCases.flatMap { $0.keys }
}
