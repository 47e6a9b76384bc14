import Glibc

/// The daemon's socket that a program of the daemon's is to use.
package enum DaemonSocket {
    /// Where every program may connect.
    package static let usual = "/run/locationd/locationd.sock"

    /// A program that may not connect would serve nobody, and say so to each of them; this says it once, and what to
    /// change.
    ///
    /// - Parameters:
    ///   - flag: the flag that names the socket; `nil` if the file does, or neither.
    ///   - file: the configuration file.
    /// - Throws: if the socket is there and is for others.
    package static func requireAccess(to path: String, flag: String?, file: String) throws {
        guard access(path, W_OK) != 0, errno == EACCES else { return }
        throw NoAccess(path: path, flag: flag, file: file)
    }
}

/// The daemon's socket is for others than the program's user.
private struct NoAccess: UsageError, CustomStringConvertible {
    let path: String
    let flag: String?
    let file: String

    var description: String {
        let line = "remove the line `daemon = \"\(path)\"` in the table [service] of \(file)"
        let remedy = flag.map { "leave \($0) out" } ?? line
        return "the user of this program may not connect to \(path): \(remedy); without it the socket is "
            + DaemonSocket.usual
    }
}
