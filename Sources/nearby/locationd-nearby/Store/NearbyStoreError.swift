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

    /// - Parameter error: what the database says.
    init(_ path: String, _ error: any Error) {
        let remove = "remove it: places are learned anew"
        let failure =
            switch error as? Unfit {
            case .otherProgram: DatabaseFailure("it is the database of another program", "name another file")
            case .otherVersion:
                DatabaseFailure("it is of another version of locationd-nearby", "name another file, or remove it")
            case .otherKey: DatabaseFailure("it was made with another key", "restore the key, or remove the file")
            case nil:
                DatabaseFailure(error, damaged: remove, foreign: DatabaseFailure("it is damaged", remove))
            }
        description = "\(path): \(failure.problem); \(failure.remedy)"
    }
}
