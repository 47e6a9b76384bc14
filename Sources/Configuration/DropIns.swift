import Glibc

/// The files in the directory `conf.d` beside a configuration file, which add to it.
enum DropIns {
    /// The paths of the files whose names end in `.toml`, in the order of their bytes; hidden ones are left out.
    static func paths(beside path: String) throws(ConfigurationError) -> [String] {
        let directory = String(path[..<(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)]) + "conf.d"
        guard let stream = opendir(directory) else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return [] }
            throw ConfigurationError(
                origin: directory, problem: "cannot be opened: \(TextFile.reason(code))",
                remedy: "let the daemon's user read it")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(directory)/\($0)" }
    }
}
