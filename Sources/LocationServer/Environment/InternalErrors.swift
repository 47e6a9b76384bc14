import Logging

/// Counts violated invariants of the server, which are mistakes of ours and never of clients. A debug build stops at
/// the first. A release build counts them in `locationd_internal_errors_total`, logs the first of each kind, and
/// continues.
final class InternalErrors {
    private(set) var count = 0
    private var logged: Set<String> = []
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// - Parameter what: a constant sentence.
    func report(_ what: StaticString) {
        assertionFailure("\(what)")
        count += 1
        guard logged.insert("\(what)").inserted else { return }
        logger.error("an internal error: please report it", metadata: ["error": "\(what)"])
    }
}
