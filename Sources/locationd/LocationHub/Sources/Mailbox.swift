@_spi(Programs) package import LocationModel
import Synchronization

/// The events from sources that the hub has not yet read: at most 256; when full, the oldest fix is dropped and
/// counted.
///
/// Ownership: each source's thread writes the queue and the hub's thread empties it, under one lock that is held only
/// for a move; sources must never wait, so this is a `Mutex` and no actor. The handler `onNonEmpty` is called outside
/// that lock, once per emptying, and must not block; a lock of its own ensures that it is not called after the hub's
/// thread has ended.
///
/// Satellites that no client waits for do not cause a call of it: they are read with the fix of their epoch, which
/// follows at once, or with the next satellites. Waking the hub's thread costs more than all it does about them.
package final class Mailbox: Sendable {
    package static let capacity = 256

    package struct Entry: Sendable {
        package let rank: Int
        package let event: SourceEvent
    }

    package struct Contents: Sendable {
        package var entries: [Entry] = []
        /// Fixes dropped because the queue was full.
        package var lostFixes = 0
        /// Other events dropped because the queue was full.
        package var lostOthers = 0
    }

    private struct State {
        var contents = Contents()
        var hasSignalled = false
        var needsSatellites = true
    }

    private let state = Mutex(State())
    private let onNonEmpty: @Sendable (Mailbox) -> Void
    private let isClosed = Mutex(false)

    /// - Parameter onNonEmpty: called when the queue is no longer empty.
    package init(onNonEmpty: @escaping @Sendable (Mailbox) -> Void) {
        self.onNonEmpty = onNonEmpty
    }

    package func post(_ event: SourceEvent, from rank: Int) {
        let isNew = state.withLock { state in
            let isFirst = state.contents.entries.isEmpty
            if state.contents.entries.count >= Self.capacity { state.contents.makeRoom() }
            state.contents.entries.append(Entry(rank: rank, event: event))
            if event.isSky, isFirst, !state.needsSatellites { return false }
            defer { state.hasSignalled = true }
            return !state.hasSignalled
        }
        if isNew { isClosed.withLock { if !$0 { onNonEmpty(self) } } }
    }

    /// Ends reading: once this returns, `onNonEmpty` is not called again.
    package func close() {
        isClosed.withLock { $0 = true }
    }

    /// Whether any client waits for satellites; true at first.
    package var needsSatellites: Bool { state.withLock { $0.needsSatellites } }

    package func setNeedsSatellites(_ needsSatellites: Bool) {
        state.withLock { $0.needsSatellites = needsSatellites }
    }

    package func empty() -> Contents {
        state.withLock { state in
            defer { state = State(needsSatellites: state.needsSatellites) }
            return state.contents
        }
    }
}

extension SourceEvent {
    /// True if it is a receiver's view of the sky.
    fileprivate var isSky: Bool {
        switch self {
        case .satellites, .satelliteCounts: true
        default: false
        }
    }
}

extension Mailbox.Contents {
    /// Drops one event. Conditions are few and must not be lost, except one that a later one of its source replaces,
    /// and only if there is nothing else to drop; all other events are renewed by the next of their kind.
    fileprivate mutating func makeRoom() {
        let index =
            entries.firstIndex { if case .condition = $0.event { false } else { true } }
            ?? entries.indices.first { here in entries[(here + 1)...].contains { $0.rank == entries[here].rank } } ?? 0
        switch entries.remove(at: index).event {
        case .fix, .position: lostFixes += 1
        default: lostOthers += 1
        }
    }
}
