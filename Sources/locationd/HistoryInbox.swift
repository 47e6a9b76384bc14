import LocationInterface
import Synchronization

/// What was noted and is not yet written: at most 1024 records; those that find it full are lost and counted.
///
/// Ownership: filled by the event loop and whoever changes the limits, emptied by whoever writes the file, under one
/// lock that is held for a move only; the event loop must not wait, so this is a `Mutex` and no actor. The bell rings
/// outside the lock.
final class HistoryInbox: Sendable {
    static let capacity = 1024

    struct Contents: Sendable {
        var records: [HistoryRecord] = []
        var lost = 0
        /// The newest limits, if they were changed.
        var limits: HistoryLimits?
    }

    private let contents = Mutex(Contents())
    private let bell = Latest(())

    func post(_ record: HistoryRecord) {
        let wasEmpty = contents.withLock { contents in
            guard contents.records.count < Self.capacity else {
                contents.lost += 1
                return false
            }
            contents.records.append(record)
            return contents.records.count == 1
        }
        if wasEmpty { bell.change { _ in } }
    }

    func post(_ limits: HistoryLimits) {
        contents.withLock { $0.limits = limits }
        bell.change { _ in }
    }

    func empty() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }

    /// Waits until the bell has rung after its ring number `seen`, or the task is cancelled.
    /// - Returns: the number of the last ring.
    func ring(after seen: Int) async -> Int {
        await bell.change(after: seen)
    }
}
