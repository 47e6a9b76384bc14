extension Document {
    /// Reads a program's file.
    ///
    /// - Parameters:
    ///   - path: The file given on the command line, which must exist; `nil` for the default one.
    ///   - defaultPath: The default file, which may be missing.
    /// - Returns: `nil` if the default file is missing.
    /// - Throws: The first error.
    package static func load(_ path: String?, orElse defaultPath: String) throws(ConfigurationError) -> Document? {
        guard let text = try TextFile.text(at: path ?? defaultPath) else {
            guard let path else { return nil }
            throw ConfigurationError(origin: path, problem: "does not exist", remedy: "check the path after --config")
        }
        return try Document(text, origin: path ?? defaultPath)
    }

    /// Refuses tables other than those that are known.
    ///
    /// - Parameter keys: All keys, to say where a misplaced one belongs.
    package func checkTables(_ known: [String], keys: [KeyDocumentation]) throws(ConfigurationError) {
        try TableReader(document: self, address: KeyAddress(), entries: entries, keysElsewhere: keys)
            .refuseUnknownKeys(known: known)
    }
}
