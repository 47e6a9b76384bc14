/// A program's configuration in a file of its own.
///
/// In a value that ``load(path:)`` returns, all values are in the ranges of their settings.
package protocol FileConfiguration: Sendable {
    associatedtype Service: ServiceTable

    /// The file that is read when none is named; it may be missing.
    static var defaultPath: String { get }

    /// All tables of the file, in the order of their documentation.
    static var tables: [ConfigurationTable<Self>] { get }

    /// The built-in defaults.
    init()

    var service: Service { get set }

    /// Refuses values that contradict each other, which the rules of single keys cannot see. By default it accepts all.
    func check(_ document: Document) throws(ConfigurationError)

    /// What is valid but has a danger below a service manager, with what to do; for `--check-config` and the log.
    var warnings: [String] { get }
}

extension FileConfiguration {
    package func check(_ document: Document) throws(ConfigurationError) {}

    package var warnings: [String] { [] }

    /// The documentation of all keys, in its order.
    package static var keys: [KeyDocumentation] { tables.flatMap(\.keys) }

    /// - Throws: The first error.
    package init(_ document: Document) throws(ConfigurationError) {
        self.init()
        let keys = Self.keys
        try TableReader(
            document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: keys
        ).refuseUnknownKeys(known: Self.tables.map(\.name))
        for table in Self.tables { try table.read(document, keys, &self) }
        try check(document)
    }

    /// Reads the file.
    ///
    /// - Parameter path: The file given on the command line, which must exist; `nil` for the default one.
    /// - Throws: The first error.
    package static func load(path: String?) throws(ConfigurationError) -> Self {
        guard let text = try TextFile.text(at: path ?? defaultPath) else {
            guard let path else { return Self() }
            throw ConfigurationError(origin: path, problem: "does not exist", remedy: "check the path after --config")
        }
        return try Self(Document(text, origin: path ?? defaultPath))
    }
}
