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
        let failure = DatabaseFailure(
            error, damaged: "keep a copy, and begin a new file: `sqlite3 FILE .recover` may save much of it",
            foreign: DatabaseFailure("it is not a GeoPackage", "name another file"))
        self.init(path, failure.problem, failure.remedy, isTemporary: failure.isTemporary)
    }
}
