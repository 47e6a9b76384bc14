package import LocationModel
import Synchronization

/// What sources have told and the hub has not yet read: at most 256 things; the oldest fix gives way and is counted.
///
/// Ownership: the queue is written by each source's thread and emptied by the hub's, under one lock that is held for
/// a move only; sources must never wait, so this is a `Mutex` and no actor. The bell rings outside that lock, once per
/// emptying, and must not block; a lock of its own keeps it from ringing after the hub's thread has ended.
package final class Mailbox: Sendable {
    package static let capacity = 256

    package struct Letter: Sendable {
        package let rank: Int
        package let event: SourceEvent
    }

    package struct Contents: Sendable {
        package var letters: [Letter] = []
        /// Fixes that had to give way.
        package var lostFixes = 0
        /// How many were thrown away to make room and were no fixes.
        package var lostOthers = 0
    }

    private let contents = Mutex(Contents())
    private let bell: @Sendable (Mailbox) -> Void
    private let isClosed = Mutex(false)

    /// - Parameter bell: called when there is something after there was nothing.
    package init(bell: @escaping @Sendable (Mailbox) -> Void) {
        self.bell = bell
    }

    package func post(_ event: SourceEvent, from rank: Int) {
        let wasEmpty = contents.withLock { contents in
            let wasEmpty = contents.letters.isEmpty
            if contents.letters.count >= Self.capacity { contents.makeRoom() }
            contents.letters.append(Letter(rank: rank, event: event))
            return wasEmpty
        }
        if wasEmpty { isClosed.withLock { if !$0 { bell(self) } } }
    }

    /// Nobody reads any more: once this returns, the bell does not ring again.
    package func close() {
        isClosed.withLock { $0 = true }
    }

    package func empty() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }
}

extension Mailbox.Contents {
    /// Conditions are few and must not be lost, but for one that a later one of its source has overtaken, should there
    /// be nothing else; everything else is renewed by the next of its kind.
    fileprivate mutating func makeRoom() {
        let index =
            letters.firstIndex { if case .condition = $0.event { false } else { true } }
            ?? letters.indices.first { here in letters[(here + 1)...].contains { $0.rank == letters[here].rank } } ?? 0
        if case .fix = letters.remove(at: index).event { lostFixes += 1 } else { lostOthers += 1 }
    }
}
