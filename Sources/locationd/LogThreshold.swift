import Logging
import Synchronization

/// The level of every logger of the daemon, which can change while it runs.
final class LogThreshold: Sendable {
    private let stored: Mutex<Logger.Level>

    init(_ level: Logger.Level) {
        stored = Mutex(level)
    }

    var level: Logger.Level {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
