import Logging

/// Counts violated invariants of the server, which are mistakes of ours and never of clients. A debug build stops at
/// the first. A release build counts them in `locationd_internal_errors_total`, logs the first of each kind, and
/// continues.
final class InternalErrors {
    private(set) var count = 0
    private var logged: Set<String> = []
    private let logger: Logger
    private let stop: (StaticString) -> Void

    /// - Parameter stop: stops a debug build; replaced by the test of what a release build does.
    init(logger: Logger, stop: @escaping (StaticString) -> Void = { assertionFailure("\($0)") }) {
        self.logger = logger
        self.stop = stop
    }

    /// - Parameter what: a constant sentence.
    func report(_ what: StaticString) {
        stop(what)
        count += 1
        guard logged.insert("\(what)").inserted else { return }
        logger.error("an internal error: please report it", metadata: ["error": "\(what)"])
    }
}
