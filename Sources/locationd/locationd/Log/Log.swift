@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
@_spi(Programs) import SystemSupport

/// The daemon's log: writes what its loggers log, without recent repeats.
///
/// Ownership: the state of repeats is behind a lock that is never held during output. Any thread may log, the event
/// loop among them; nothing here blocks except ``run()``.
final class Log: Service {
    let threshold: LogThreshold
    private let output: LogOutput
    private let clock: @Sendable () -> BootInstant
    private let repeats: Mutex<LogRepeats>
    private let sleep: @Sendable (Double) async -> Void
    /// Notifies ``run()`` of a new or earlier deadline.
    private let deadlineChanges = Latest(())

    /// - Parameter sleep: sleeps for so many seconds, or until the task is cancelled.
    init(
        level: Logger.Level, output: LogOutput = .standard, repeats: LogRepeats = LogRepeats(),
        clock: @escaping @Sendable () -> BootInstant = { MachineClock.now },
        sleep: @escaping @Sendable (Double) async -> Void = { try? await Pause.sleep(for: .seconds($0)) }
    ) {
        threshold = LogThreshold(level)
        self.output = output
        self.repeats = Mutex(repeats)
        self.clock = clock
        self.sleep = sleep
    }

    /// - Parameter floor: records below it are never logged, whatever the daemon's level.
    func logger(_ label: String, atLeast floor: Logger.Level = .trace) -> Logger {
        Logger(label: label) { _ in LogRecordHandler(log: self, floor: floor) }
    }

    func append(_ record: LogRecord) {
        let now = clock()
        let (news, isSooner) = repeats.withLock { repeats in
            let before = repeats.deadline
            let news = repeats.applyRecord(record, at: now)
            guard let deadline = repeats.deadline else { return (news, false) }
            return (news, before.map { deadline < $0 } ?? true)
        }
        for record in news { output.write(record) }
        if isSooner { deadlineChanges.change { _ in } }
    }

    /// Logs the counts of repeats when they are due. Counts left at the end are logged with the next record.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.waitUntilDue()
                let now = self.clock()
                for record in self.repeats.withLock({ $0.advance(to: now) }) { self.output.write(record) }
            }
        }
    }

    /// Returns early when there is an earlier deadline, or the task is cancelled.
    private func waitUntilDue() async {
        let seen = deadlineChanges.current.version
        let deadline = repeats.withLock { $0.deadline }
        guard let wait = deadline?.seconds(since: clock()) else {
            _ = await deadlineChanges.change(after: seen)
            return
        }
        await withTaskGroup { group in
            group.addTask { await self.sleep(max(0, wait)) }
            group.addTask { _ = await self.deadlineChanges.change(after: seen) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A logger's backend: passes records at or above the common level to the log.
struct LogRecordHandler: LogHandler {
    let log: Log
    let floor: Logger.Level
    var metadata: Logger.Metadata = [:]

    init(log: Log, floor: Logger.Level) {
        self.log = log
        self.floor = floor
    }

    var logLevel: Logger.Level {
        get { max(log.threshold.level, floor) }
        set { log.threshold.level = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event record: LogEvent) {
        var data = metadata.merging(record.metadata ?? [:]) { _, new in new }
        if let error = record.error { data["error"] = "\(error)" }
        let event = data.removeValue(forKey: ServiceEvent.metadataKey).flatMap { ServiceEvent(rawValue: "\($0)") }
        log.append(
            LogRecord(
                record.level, "\(record.message)", data, event: event, place: "\(record.file):\(record.line)"))
    }
}

/// The level of all the daemon's loggers, which can change while it runs.
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
