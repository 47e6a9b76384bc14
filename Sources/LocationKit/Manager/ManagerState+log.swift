import Logging

extension ManagerState {
    /// Has a constant sentence logged, with what it is about.
    mutating func log(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        let logger = configuration.logger
        guard logger.logLevel <= level else { return }
        outbox.append { logger.log(level: level, message, metadata: metadata) }
    }
}
