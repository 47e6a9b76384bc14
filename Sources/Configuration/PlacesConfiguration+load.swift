package import StrictTOML

extension PlacesConfiguration {
    /// Something about the provider that is more than one key's form.
    package struct Mistake: Error {
        let key: String
        let remedy: String

        /// - Parameter key: of the table `[online]`.
        package init(key: String, remedy: String) {
            self.key = key
            self.remedy = remedy
        }
    }

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - path: The file somebody named, which must exist; `nil` for ``defaultPath``, which need not.
    ///   - check: What else may be wrong with a provider.
    /// - Throws: The first mistake.
    package static func load(
        path: String?, check: (Online) throws(Mistake) -> Void
    ) throws(ConfigurationError) -> PlacesConfiguration {
        guard let text = try TextFile.text(at: path ?? defaultPath) else {
            guard let path else { return PlacesConfiguration() }
            throw ConfigurationError(origin: path, problem: "does not exist", remedy: "check the path after --config")
        }
        return try PlacesConfiguration(Document(text, origin: path ?? defaultPath), check: check)
    }

    init(_ document: Document, check: (Online) throws(Mistake) -> Void) throws(ConfigurationError) {
        self.init()
        try TableReader(
            document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: Self.keys
        ).refuseUnknownKeys(known: ["service", "limits", "online"])
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("limits")?.read(Limits.settings, into: &limits)
        guard let reader = try table("online") else { return }
        var online = Online.draft
        try reader.read(Online.settings, into: &online)
        do {
            try check(online)
        } catch {
            throw document.error(at: reader.address.appending(error.key), "will not do", error.remedy)
        }
        self.online = online
    }
}
