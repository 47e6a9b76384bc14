import Glibc

extension TextFile {
    /// The path of a file in the directory in which another one is.
    static func path(of name: String, beside path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)]) + name
    }

    /// Whether a link has that path, wherever it leads.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The system's words for an error code.
    static func reason(_ code: CInt) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
