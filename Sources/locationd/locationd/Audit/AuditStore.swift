@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
@_spi(Programs) import SystemSupport

/// Keeps the audit in one file of the state directory and in the log: who requested authorization, who was granted
/// it, and who received locations.
///
/// Ownership: records go into an inbox, which any thread may fill without blocking. The file, and the records that wait
/// for it, are behind a lock that ``run()`` and readers hold during disk operations; the event loop never takes it.
/// Neither delays a fix.
final class AuditStore: Service {
    private static let usualLimit = 1000
    private static let highestLimit = 10_000

    private struct State {
        var log: AuditLog
        /// Whether the present failure is logged, so that it is not logged for each record.
        var isFailureLogged = false
        var isLossLogged = false
    }

    private let inbox = AuditInbox()
    private let state: Mutex<State>
    private let logger: Logger
    private let clock: @Sendable () -> UTCTime

    /// - Parameter clock: the wall clock.
    init(
        directory: String, limits: AuditLimits = AuditLimits(), logger: Logger,
        clock: @escaping @Sendable () -> UTCTime = { MachineClock.utc }, disk: AuditDisk = AuditDisk()
    ) {
        let file = AuditFile(path: directory + "/history.jsonl", disk: disk)
        state = Mutex(State(log: AuditLog(file: file, limits: limits)))
        self.logger = logger
        self.clock = clock
    }

    /// Adds a record, which ``run()`` writes soon. Never blocks; records beyond 1024 waiting ones are lost, which is
    /// logged.
    func note(_ record: AuditRecord) {
        inbox.post(record)
    }

    /// Changes the limits; soon also applied to the existing records.
    func apply(days: Int, size: Int) {
        inbox.post(AuditLimits(days: days, size: size))
    }

    /// The newest records, oldest first, including all that were added before the call, even on a full disk.
    ///
    /// Off the caller's thread, because it blocks on the disk.
    /// - Throws: why the file cannot be read, in words.
    @concurrent
    func records(_ parameters: AuditParameters) async throws -> [AuditRecord] {
        let limit = min(max(parameters.limit ?? Self.usualLimit, 1), Self.highestLimit)
        writeInbox()
        return try state.withLock { try $0.log.records(of: parameters.principal, limit: limit) }
    }

    /// The records of earlier runs of the present day and of the day before; none if they cannot be read.
    func recentRecords() -> [AuditRecord] {
        let now = clock()
        return state.withLock { state in
            (try? state.log.recentRecords(at: now, limit: AuditTrail.capacity)) ?? []
        }
    }

    /// Scans the file, then writes records soon after they were added, and the last ones at the end.
    func run() async {
        let unreadable = state.withLock { state in
            write(&state)
            return state.log.unreadable
        }
        if unreadable > 0 {
            logger.warning(
                "lines of the audit cannot be read and are skipped", metadata: ["lines": "\(unreadable)"])
        }
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.inbox.waitForRecords(after: seen)
                self.writeInbox()
            }
        }
        let left = state.withLock { state in
            write(&state, isLast: true)
            return state.log.waitingCount
        }
        if left > 0 {
            logger.error("the last records of the audit are not written", metadata: ["records": "\(left)"])
        }
    }

    private func writeInbox() {
        state.withLock { write(&$0) }
    }

    private func write(_ state: inout State, isLast: Bool = false) {
        let news = inbox.empty()
        for record in news.records { record.log(to: logger) }
        let lost = state.log.applyInbox(news)
        if lost > 0, !state.isLossLogged {
            logger.log(.auditLost, ["records": "\(lost)"])
        }
        state.isLossLogged = lost > 0
        do {
            try state.log.write(at: clock(), isLast: isLast)
            if state.isFailureLogged { logger.log(.auditPersistedAgain) }
            state.isFailureLogged = false
        } catch {
            if !state.isFailureLogged {
                logger.log(.auditNotPersisted, ["reason": "\(error)"])
            }
            state.isFailureLogged = true
        }
    }
}

/// Records that are not yet written: at most 1024. Further ones are lost and counted.
///
/// Ownership: filled by the event loop and by configuration changes, emptied by the writer of the file, under one lock
/// that is held for a move only. The event loop must not block, so this is a `Mutex` and no actor. The writer is
/// notified outside the lock.
final class AuditInbox: Sendable {
    static let capacity = 1024

    struct Contents: Sendable {
        var records: [AuditRecord] = []
        var lost = 0
        /// The newest limits, if they have changed.
        var limits: AuditLimits?
    }

    private let contents = Mutex(Contents())
    private let changes = Latest(())

    func post(_ record: AuditRecord) {
        let wasEmpty = contents.withLock { contents in
            guard contents.records.count < Self.capacity else {
                contents.lost += 1
                return false
            }
            contents.records.append(record)
            return contents.records.count == 1
        }
        if wasEmpty { changes.change { _ in } }
    }

    func post(_ limits: AuditLimits) {
        contents.withLock { $0.limits = limits }
        changes.change { _ in }
    }

    func empty() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }

    /// Waits until there is a notification after number `seen`, or the task is cancelled.
    /// - Returns: the number of the last notification.
    func waitForRecords(after seen: Int) async -> Int {
        await changes.change(after: seen)
    }
}
