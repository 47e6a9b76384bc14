import Glibc
package import ServiceKit

extension Configuration {
    /// The file that is read when none is named.
    package static let defaultPath = "/etc/locationd/locationd.toml"

    /// Reads the file, its drop-ins (`conf.d/*.toml` beside it, in the order of their names) and the environment.
    ///
    /// Later values override earlier ones, key by key; a later `[[sources]]` replaces the whole list. The sources of
    /// all `[[additional-sources]]` follow it.
    ///
    /// - Parameter path: The file given on the command line, which must exist; `nil` for ``defaultPath``, which may be
    ///   missing.
    /// - Throws: The first error in any of the files, even one in a value that a later file would override.
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
                throw ConfigurationError(
                    origin: dropIn, problem: "is a dangling link", remedy: "repair or remove the link")
            }
            try configuration.apply(Document(text, origin: dropIn))
        }
        configuration.rankAdditionalSources()
        try configuration.apply(environment: environment)
        return configuration
    }
}

extension Configuration {
    /// Applies a document, key by key; its list of sources replaces the one before.
    mutating func apply(_ document: Document) throws(ConfigurationError) {
        try TableReader(
            document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: Configuration.keys
        ).refuseUnknownKeys(known: Configuration.tables.map(\.name) + SourcesReader.List.allCases.map(\.rawValue)) {
            key in
            guard key == PolicyFile.list else { return nil }
            return ("is not read here", "write the rules in \(PolicyFile.name) beside this file")
        }
        for table in Configuration.tables { try table.read(document, Configuration.keys, &self) }
        if let sources = try SourcesReader(document: document, list: .all).read() { self.sources = sources }
        additionalSources += try SourcesReader(document: document, list: .additional).read() ?? []
    }

    /// Those that packages add come last, but where one of the same name has a rank of its own.
    private mutating func rankAdditionalSources() {
        for source in additionalSources where !sources.contains(where: { $0.name == source.name }) {
            sources.append(source)
        }
        additionalSources = []
    }
}

/// The drop-in files in a directory beside a configuration file.
enum DropIns {
    /// The paths of the files whose names end in `.toml`, sorted by bytes, without hidden files.
    ///
    /// - Parameter check: Checks the directory's owner and mode.
    /// - Throws: Why the directory cannot be read completely; a missing directory has no files.
    static func paths(
        in name: String = "conf.d", beside path: String, check: FileCheck = { _ throws(Refusal) in }
    ) throws(ConfigurationError) -> [String] {
        let directory = TextFile.path(of: name, beside: path)
        guard let stream = opendir(directory) else {
            let code = errno
            if code == ENOENT, !TextFile.isLink(directory) { return [] }
            throw ConfigurationError(
                origin: directory, problem: "cannot be opened: \(TextFile.reason(code))",
                remedy: "make it a directory that the daemon's user can read")
        }
        defer { closedir(stream) }
        try TextFile.examine(dirfd(stream), at: directory, check)
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        let code = errno
        guard code == 0 else {
            throw ConfigurationError(
                origin: directory, problem: "cannot be read: \(TextFile.reason(code))",
                remedy: "check the directory and its disk")
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(directory)/\($0)" }
    }
}
