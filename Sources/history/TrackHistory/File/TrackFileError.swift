import GRDB
import SQLiteRows

/// Why a track's file cannot be used, and what to do.
package struct TrackFileError: Error, CustomStringConvertible, Sendable {
    package let description: String
    /// Whether the same may succeed later, as when the disk is full.
    package let isTemporary: Bool

    init(_ path: String, _ problem: String, _ remedy: String, isTemporary: Bool = false) {
        description = "\(path): \(problem); \(remedy)"
        self.isTemporary = isTemporary
    }

    /// - Parameter error: what the database says.
    init(_ path: String, _ error: any Error) {
        if let known = error as? TrackFileError {
            self = known
            return
        }
        if error is GeoPackageSchema.NoTable {
            self.init(path, "it is not a track of locationd-history", "name another file")
            return
        }
        if let failure = error as? UntrustedDatabase.Failure {
            switch failure {
            case .notRegular: self.init(path, "it is not a regular file", "name another file")
            case .cannotOpen: self.init(path, failure.description, "check the path")
            case .tooSlow, .tooLarge:
                self.init(path, failure.description, "it is damaged, or no track of locationd-history")
            }
            return
        }
        // Something is there that another program must have written.
        let isDamaged = error is DamagedValue || error is RowDecodingError
        guard let error = isDamaged ? DatabaseError(resultCode: .SQLITE_CORRUPT) : error as? DatabaseError else {
            self.init(path, "\(error)", "check the file")
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self.init(path, "the disk is full", "free some space", isTemporary: true)
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init(path, "it may not be written", "check its owner, its mode and those of its directory")
        case .SQLITE_CORRUPT:
            self.init(
                path, "it is damaged", "keep a copy, and begin a new file: `sqlite3 FILE .recover` may save much of it")
        case .SQLITE_NOTADB: self.init(path, "it is not a GeoPackage", "name another file")
        case .SQLITE_CANTOPEN:
            self.init(path, "it cannot be opened", "check that its directory exists and may be written")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(path, "another program has it locked", "close it there", isTemporary: true)
        case .SQLITE_IOERR:
            self.init(path, "the disk fails (\(error.extendedResultCode))", "see `dmesg`", isTemporary: true)
        default: self.init(path, error.message ?? "\(error.resultCode)", "check the file")
        }
    }
}
