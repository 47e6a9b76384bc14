import GRDB
import SQLiteRows

/// Why the file of places cannot be used, and what to do.
struct NearbyStoreError: Error, CustomStringConvertible, Sendable {
    /// A file that is not changed, because it may be of use to somebody.
    enum Unfit: Error {
        case otherProgram
        case otherVersion
        case otherKey
    }

    let description: String
    /// Whether the same may succeed later, as when the disk is full.
    let isTemporary: Bool

    /// - Parameter error: what the database says.
    init(_ path: String, _ error: any Error) {
        let (problem, remedy, isTemporary) = Self.words(error)
        description = "\(path): \(problem); \(remedy)"
        self.isTemporary = isTemporary
    }

    private static func words(_ error: any Error) -> (problem: String, remedy: String, isTemporary: Bool) {
        switch error as? Unfit {
        case .otherProgram: return ("it is the database of another program", "name another file", false)
        case .otherVersion:
            return ("it is of another version of locationd-nearby", "name another file, or remove it", false)
        case .otherKey: return ("it was made with another key", "restore the key, or remove the file", false)
        case nil: break
        }
        let isDamaged = error is DamagedValue || error is RowDecodingError
        guard let error = isDamaged ? DatabaseError(resultCode: .SQLITE_CORRUPT) : error as? DatabaseError else {
            return ("\(error)", "check the file", false)
        }
        switch error.resultCode {
        case .SQLITE_FULL: return ("the disk is full", "free some space", true)
        case .SQLITE_READONLY, .SQLITE_PERM:
            return ("it may not be written", "check its owner, its mode and those of its directory", false)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return ("it is damaged", "remove it: places are learned anew", false)
        case .SQLITE_CANTOPEN:
            return ("it cannot be opened", "check that its directory exists and may be written", false)
        case .SQLITE_BUSY, .SQLITE_LOCKED: return ("another program has it locked", "close it there", true)
        case .SQLITE_IOERR: return ("the disk fails (\(error.extendedResultCode))", "see `dmesg`", true)
        default: return (error.message ?? "\(error.resultCode)", "check the file", false)
        }
    }
}
