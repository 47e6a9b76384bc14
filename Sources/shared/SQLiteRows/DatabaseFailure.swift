import GRDB

/// Why SQLite cannot use a program's own file, and what to do, in words.
package struct DatabaseFailure: Equatable {
    package let problem: String
    package let remedy: String
    /// Whether the same may succeed later, as when the disk is full.
    package let isTemporary: Bool

    package init(_ problem: String, _ remedy: String, isTemporary: Bool = false) {
        (self.problem, self.remedy, self.isTemporary) = (problem, remedy, isTemporary)
    }

    /// - Parameters:
    ///   - error: what was thrown.
    ///   - damaged: the remedy if the file is damaged.
    ///   - foreign: what to say of a file that is no database.
    package init(_ error: any Error, damaged: String, foreign: DatabaseFailure) {
        // Something is there that another program must have written.
        let isDamaged = error is DamagedValue || error is RowDecodingError
        guard let error = isDamaged ? DatabaseError(resultCode: .SQLITE_CORRUPT) : error as? DatabaseError else {
            self.init("\(error)", "check the file")
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self.init("the disk is full", "free some space", isTemporary: true)
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init("it may not be written", "check its owner, its mode and those of its directory")
        case .SQLITE_CORRUPT: self.init("it is damaged", damaged)
        case .SQLITE_NOTADB: self = foreign
        case .SQLITE_CANTOPEN:
            self.init("it cannot be opened", "check that its directory exists and may be written")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init("another program has it locked", "close it there", isTemporary: true)
        case .SQLITE_IOERR:
            self.init("the disk fails (\(error.extendedResultCode))", "see `dmesg`", isTemporary: true)
        default: self.init(error.message ?? "\(error.resultCode)", "check the file")
        }
    }
}
