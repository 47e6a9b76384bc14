package import StrictTOML

extension Configuration {
    /// The file that is read when none is named.
    package static let defaultPath = "/etc/locationd/locationd.toml"

    /// Reads the file, its drop-ins (`conf.d/*.toml` beside it, in the order of their names) and the environment.
    ///
    /// What comes later wins, key by key; a later `[[sources]]` replaces the whole list.
    ///
    /// - Parameter path: The file somebody named, which must exist; `nil` for ``defaultPath``, which need not.
    /// - Throws: The first mistake, in every file: one that a later file would override is still a mistake.
    package static func load(
        path: String?, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        try load(path: path, defaultPath: defaultPath, environment: environment)
    }

    static func load(
        path: String?, defaultPath: String, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        let main = path ?? defaultPath
        if let text = try TextFile.text(at: main) {
            try configuration.apply(Document(text, origin: main))
        } else if path != nil {
            throw ConfigurationError(origin: main, problem: "does not exist", remedy: "check the path after --config")
        }
        for dropIn in try DropIns.paths(beside: main) {
            guard let text = try TextFile.text(at: dropIn) else {
                throw ConfigurationError(origin: dropIn, problem: "leads nowhere", remedy: "repair or remove the link")
            }
            try configuration.apply(Document(text, origin: dropIn))
        }
        try configuration.apply(environment: environment)
        return configuration
    }
}
