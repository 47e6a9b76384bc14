import LocationInterface
import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
import SystemClock

/// Keeps the history: who asked, who may know and who was told, in one file of the state directory and in the log.
///
/// Ownership: what is noted goes into an inbox, which anyone may fill without waiting. The file, and what waits for it,
/// lie behind a lock that is held while the disk works, by ``run()`` and by who reads; the event loop never takes it.
/// Neither is on the way of a fix.
final class HistoryStore: Service {
    private static let usualLimit = 1000
    private static let highestLimit = 10_000

    private struct Pages {
        var book: HistoryBook
        /// What the log has been told, lest each record repeat it.
        var isFailureTold = false
        var isLossTold = false
    }

    private let inbox = HistoryInbox()
    private let pages: Mutex<Pages>
    private let logger: Logger
    private let clock: @Sendable () -> UTCTime

    /// - Parameter clock: the wall clock.
    init(
        directory: String, limits: HistoryLimits = HistoryLimits(), logger: Logger,
        clock: @escaping @Sendable () -> UTCTime = { MachineClock.utc }, disk: HistoryDisk = HistoryDisk()
    ) {
        let file = HistoryFile(path: directory + "/history.jsonl", disk: disk)
        pages = Mutex(Pages(book: HistoryBook(file: file, limits: limits)))
        self.logger = logger
        self.clock = clock
    }

    /// Notes a record, which ``run()`` writes soon. Never waits; more than 1024 at once are lost, and the log says so.
    func note(_ record: HistoryRecord) {
        inbox.post(record)
    }

    /// Changes how much is kept, from now on and soon for what is there.
    func apply(days: Int, size: Int) {
        inbox.post(HistoryLimits(days: days, size: size))
    }

    /// The newest records, oldest first; whatever was noted before the call is among them, on a full disk too.
    ///
    /// Off the caller's thread, as it waits for the disk.
    /// - Throws: why the file cannot be read, in words.
    @concurrent
    func records(_ parameters: GetHistoryParameters) async throws -> [HistoryRecord] {
        let limit = min(max(parameters.limit ?? Self.usualLimit, 1), Self.highestLimit)
        writeWhatIsNoted()
        return try pages.withLock { try $0.book.records(of: parameters.principal, limit: limit) }
    }

    /// The present day's records of earlier runs, for ``AuditTrail/resume(_:)``; none if they cannot be read.
    func todaysRecords() -> [HistoryRecord] {
        let now = clock()
        return pages.withLock { pages in
            (try? pages.book.records(ofTheDayOf: now, limit: AuditTrail.capacity)) ?? []
        }
    }

    /// Goes through the file, then writes what is noted, soon after it was, and the last of it at the end.
    func run() async {
        let unreadable = pages.withLock { pages in
            write(&pages)
            return pages.book.unreadable
        }
        if unreadable > 0 {
            logger.warning(
                "lines of the history cannot be read and are passed over", metadata: ["lines": "\(unreadable)"])
        }
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.inbox.ring(after: seen)
                self.writeWhatIsNoted()
            }
        }
        let left = pages.withLock { pages in
            write(&pages, isLast: true)
            return pages.book.waitingCount
        }
        if left > 0 { logger.error("the history ends without its last records", metadata: ["records": "\(left)"]) }
    }

    private func writeWhatIsNoted() {
        pages.withLock { write(&$0) }
    }

    private func write(_ pages: inout Pages, isLast: Bool = false) {
        let news = inbox.empty()
        for record in news.records { record.log(to: logger) }
        let lost = pages.book.take(news)
        if lost > 0, !pages.isLossTold {
            logger.log(.historyLost, ["records": "\(lost)"])
        }
        pages.isLossTold = lost > 0
        do {
            try pages.book.write(at: clock(), isLast: isLast)
            if pages.isFailureTold { logger.log(.historyKeptAgain) }
            pages.isFailureTold = false
        } catch {
            if !pages.isFailureTold {
                logger.log(.historyNotKept, ["reason": "\(error)"])
            }
            pages.isFailureTold = true
        }
    }
}
