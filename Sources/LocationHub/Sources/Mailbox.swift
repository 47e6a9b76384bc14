package import LocationModel
import Synchronization

/// What sources have told and the hub has not yet read: at most 256 things; the oldest fix gives way and is counted.
///
/// Ownership: the queue is written by each source's thread and emptied by the hub's, under one lock that is held for
/// a move only; sources must never wait, so this is a `Mutex` and no actor. The bell rings outside that lock, once per
/// emptying, and must not block; a lock of its own keeps it from ringing after the hub's thread has ended.
///
/// A view of the sky that nobody waits for does not ring: it is read with the fix of its epoch, which follows it at once,
/// or with the next one of its kind. To wake the hub's thread costs more than all it does about such a view.
package final class Mailbox: Sendable {
    package static let capacity = 256

    package struct Entry: Sendable {
        package let rank: Int
        package let event: SourceEvent
    }

    package struct Contents: Sendable {
        package var entries: [Entry] = []
        /// Fixes that had to give way.
        package var lostFixes = 0
        /// How many were thrown away to make room and were no fixes.
        package var lostOthers = 0
    }

    private struct State {
        var contents = Contents()
        var hasRung = false
        var isSkyAwaited = true
    }

    private let state = Mutex(State())
    private let bell: @Sendable (Mailbox) -> Void
    private let isClosed = Mutex(false)

    /// - Parameter bell: called when there is something after there was nothing.
    package init(bell: @escaping @Sendable (Mailbox) -> Void) {
        self.bell = bell
    }

    package func post(_ event: SourceEvent, from rank: Int) {
        let isNews = state.withLock { state in
            let isFirst = state.contents.entries.isEmpty
            if state.contents.entries.count >= Self.capacity { state.contents.makeRoom() }
            state.contents.entries.append(Entry(rank: rank, event: event))
            if case .satellites = event, isFirst, !state.isSkyAwaited { return false }
            defer { state.hasRung = true }
            return !state.hasRung
        }
        if isNews { isClosed.withLock { if !$0 { bell(self) } } }
    }

    /// Nobody reads any more: once this returns, the bell does not ring again.
    package func close() {
        isClosed.withLock { $0 = true }
    }

    /// Whether somebody waits for views of the sky; so it is taken to be at first.
    package func awaitSky(_ isAwaited: Bool) {
        state.withLock { $0.isSkyAwaited = isAwaited }
    }

    package func empty() -> Contents {
        state.withLock { state in
            defer { state = State(isSkyAwaited: state.isSkyAwaited) }
            return state.contents
        }
    }
}

extension Mailbox.Contents {
    /// Conditions are few and must not be lost, but for one that a later one of its source has overtaken, should there
    /// be nothing else; everything else is renewed by the next of its kind.
    fileprivate mutating func makeRoom() {
        let index =
            entries.firstIndex { if case .condition = $0.event { false } else { true } }
            ?? entries.indices.first { here in entries[(here + 1)...].contains { $0.rank == entries[here].rank } } ?? 0
        if case .fix = entries.remove(at: index).event { lostFixes += 1 } else { lostOthers += 1 }
    }
}
