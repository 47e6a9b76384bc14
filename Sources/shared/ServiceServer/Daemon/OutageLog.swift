package import Logging
import Synchronization

/// Tells the journal of an outage of the daemon once, however many sessions notice it, and of its end.
///
/// Ownership: sessions of any event loop share it; the lock is held for a change alone.
package final class OutageLog: Sendable {
    private let logger: Logger
    private let isOut = Mutex(false)

    package init(_ logger: Logger) { self.logger = logger }

    /// A session has failed that has had answers, or none yet.
    package func begin(_ failure: DaemonCall.Failure) {
        guard change(to: true) else { return }
        logger.warning("no answer of locationd", metadata: ["reason": "\(failure)"])
    }

    /// A session that has failed has an answer.
    package func end() {
        if change(to: false) { logger.notice("locationd answers again") }
    }

    private func change(to value: Bool) -> Bool {
        isOut.withLock { isOut in
            defer { isOut = value }
            return isOut != value
        }
    }
}
