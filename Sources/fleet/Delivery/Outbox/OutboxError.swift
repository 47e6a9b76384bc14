internal import GRDB
import SQLiteRows

/// Why the outbox cannot be used; the description says what to do.
package enum OutboxError: Error, Equatable, CustomStringConvertible {
    /// The file is no database, or is damaged.
    case damaged(path: String, reason: String)
    /// The file is a database of another program.
    case foreign(path: String)
    /// A later version of this program has written it.
    case newer(path: String, version: Int)
    /// Another process has it open.
    case inUse(path: String)
    /// It may not be written, or not be made.
    case notWritable(path: String, reason: String)
    /// The disk has no room.
    case full(path: String)
    /// The disk does not respond.
    case hung(path: String)
    /// Another failure of the disk or of SQLite.
    case failed(path: String, reason: String)

    package var description: String {
        switch self {
        case .damaged(let path, let reason):
            "the outbox \(path) is damaged (\(reason)); move it aside together with \(path)-wal and start again: "
                + "`sqlite3 \(path) .recover` may read the messages that it holds"
        case .foreign(let path):
            "\(path) is a database of another program; name another file for the outbox"
        case .newer(let path, let version):
            "the outbox \(path) is of version \(version), which a later locationd-fleet has written; update this one, or "
                + "name another file"
        case .inUse(let path):
            "another process uses the outbox \(path); end it, or name another file"
        case .notWritable(let path, let reason):
            "the outbox \(path) cannot be written: \(reason); check the owner and the permissions of the file and of its folder, "
                + "or name another file"
        case .full(let path): "the disk of the outbox \(path) is full; make room"
        case .hung(let path): "the disk of the outbox \(path) does not respond; see `dmesg`"
        case .failed(let path, let reason): "the outbox \(path) failed: \(reason); check the disk"
        }
    }

    init(_ error: any Error, path: String) {
        if let damaged = error as? DamagedValue {
            self = .damaged(path: path, reason: damaged.description)
            return
        }
        guard let failure = error as? DatabaseError else {
            self = error as? OutboxError ?? .failed(path: path, reason: "\(error)")
            return
        }
        let reason = failure.message ?? failure.resultCode.description
        switch failure.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse(path: path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            self = .notWritable(path: path, reason: reason)
        case .SQLITE_FULL: self = .full(path: path)
        default: self = .failed(path: path, reason: reason)
        }
    }
}
