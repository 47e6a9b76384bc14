package import Glibc

/// Checks a file's type, owner or mode.
package typealias FileCheck = (stat) throws(Refusal) -> Void

/// Reads a small text file.
package enum TextFile {
    /// Bytes; larger than any configuration file written by hand.
    static let largest = 1 << 20

    /// - Parameter check: A further check of the opened file.
    /// - Returns: `nil` if nothing has that path.
    /// - Throws: Why it cannot be read: a directory, not permitted, too large, not UTF-8.
    package static func text(
        at path: String, check: FileCheck = { _ throws(Refusal) in }
    ) throws(ConfigurationError) -> String? {
        func mistake(at line: Int? = nil, _ problem: String, _ remedy: String) -> ConfigurationError {
            ConfigurationError(origin: path, line: line, problem: problem, remedy: remedy)
        }
        // Without O_NONBLOCK opening a FIFO would block forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            throw mistake("cannot be opened: \(reason(code))", "let the daemon's user read it")
        }
        defer { close(descriptor) }
        try examine(descriptor, at: path) { status throws(Refusal) in
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw Refusal("is a directory", remedy: "name a file")
            default: throw Refusal("is not a regular file", remedy: "name a regular file")
            }
            try check(status)
        }
        let bytes: [UInt8]
        do {
            bytes = try contents(of: descriptor)
        } catch {
            throw mistake("cannot be read: \(reason(error.code))", "check the file and its disk")
        }
        guard bytes.count <= largest else {
            throw mistake("is larger than \(largest) bytes", "shorten it; it should be a few hundred lines at most")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw mistake(at: lineOfInvalidUTF8(in: bytes), "is not UTF-8", "save it with that encoding")
        }
        return text
    }

    /// Checks the opened descriptor, so that a rename cannot exchange the file after the check.
    package static func examine(_ descriptor: CInt, at path: String, _ check: FileCheck) throws(ConfigurationError) {
        do throws(Refusal) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                throw Refusal("cannot be examined: \(reason(errno))")
            }
            try check(status)
        } catch {
            throw ConfigurationError(
                origin: path, problem: error.problem, remedy: error.remedy ?? "use another file")
        }
    }

    private struct ReadError: Error {
        let code: CInt
    }

    /// All bytes, or one more than allowed if the file is too large.
    private static func contents(of descriptor: CInt) throws(ReadError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= largest {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw ReadError(code: errno)
            }
        }
        return bytes
    }

    /// Lines can be checked one by one, because a newline is never part of a multi-byte character.
    private static func lineOfInvalidUTF8(in bytes: [UInt8]) -> Int? {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .firstIndex { String(validating: $0, as: UTF8.self) == nil }
            .map { $0 + 1 }
    }
}

extension TextFile {
    /// The path of a file in the same directory as another file.
    package static func path(of name: String, beside path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)]) + name
    }

    /// Whether the path is a symbolic link, even a dangling one.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The system's message for an error number.
    package static func reason(_ code: CInt) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
