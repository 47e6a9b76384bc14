/// A program's configuration in a file of its own.
package protocol FileConfiguration: Sendable {
    /// The file that is read when none is named; it may be missing.
    static var defaultPath: String { get }

    /// The built-in defaults.
    init()

    /// - Throws: The first error.
    init(_ document: Document) throws(ConfigurationError)

    /// What is valid but has a danger below a service manager, with what to do; for `--check-config` and the log.
    var warnings: [String] { get }
}

extension FileConfiguration {
    package var warnings: [String] { [] }

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

extension Document {
    /// Refuses tables other than those that are known.
    ///
    /// - Parameter keys: All keys, to say where a misplaced one belongs.
    package func checkTables(_ known: [String], keys: [KeyDocumentation]) throws(ConfigurationError) {
        try TableReader(document: self, address: KeyAddress(), entries: entries, keysElsewhere: keys)
            .refuseUnknownKeys(known: known)
    }
}
