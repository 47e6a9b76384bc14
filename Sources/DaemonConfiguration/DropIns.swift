import Glibc
import StrictTOML

/// The files in a directory beside a configuration file, which add to it.
enum DropIns {
    /// The paths of the files whose names end in `.toml`, in the order of their bytes; hidden ones are left out.
    ///
    /// - Parameter check: What may be wrong with the directory's owner and mode.
    /// - Throws: Why the directory cannot be read to its end; one that is not there has no files.
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
