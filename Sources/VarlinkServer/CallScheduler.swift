package import NIOCore

/// Divides the event loop's time between what is to be delivered and what users ask: all users' work together may take
/// half of the time, in slices of a millisecond, and users take turns, whatever the number of their connections.
///
/// Work is done at once while there is credit and nobody waits. Credit is the time that passes without users' work, up to
/// ``slice``, and is spent by the time that work takes; a piece of work that takes longer than a slice is paid for by a
/// longer pause. What the event loop has to deliver comes in between: it waits for no more than a slice and the piece of
/// work that ends it.
///
/// Ownership: everything here belongs to the event loop.
package final class CallScheduler {
    package typealias Work = () -> Void

    /// Time that users' work may take in one go, nanoseconds.
    static let slice: Int64 = 1_000_000
    /// The least time between two slices, so that the sockets are looked at.
    private static let pause: Int64 = 200_000

    private let loop: any EventLoop
    private let clock: () -> NIODeadline
    /// Work that waits, by its user.
    private var queues: [UInt32: CircularBuffer<Work>] = [:]
    /// The users for whom work waits, in the order of their turns.
    private var order: CircularBuffer<UInt32> = []
    private var credit = CallScheduler.slice
    private var creditedAt: NIODeadline
    private var isRunning = false
    private var isScheduled = false

    /// - Parameter clock: the event loop's own by default.
    package init(loop: any EventLoop, clock: (() -> NIODeadline)? = nil) {
        self.loop = loop
        let clock = clock ?? { loop.now }
        self.clock = clock
        creditedAt = clock()
    }

    /// Pieces of work that wait.
    package var waiting: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Whether work may be done at once, by ``measure(_:)``. Otherwise it is to wait for its user's turn.
    package var isFree: Bool {
        guard !isRunning, order.isEmpty else { return false }
        earn()
        return credit > 0
    }

    /// Does work at once and counts the time.
    package func measure(_ work: Work) {
        let start = clock()
        isRunning = true
        work()
        isRunning = false
        let end = clock()
        credit -= (end - start).nanoseconds
        creditedAt = end
    }

    /// Does work when it is its user's turn.
    package func enqueue(for uid: UInt32, _ work: @escaping Work) {
        if queues[uid] == nil { order.append(uid) }
        queues[uid, default: []].append(work)
        scheduleTurns()
    }

    /// Does work now if it may be done at once, else when it is its user's turn.
    package func perform(for uid: UInt32, _ work: @escaping Work) {
        if isFree { measure(work) } else { enqueue(for: uid, work) }
    }

    private func earn() {
        let now = clock()
        let passed = max(0, (now - creditedAt).nanoseconds)
        creditedAt = now
        credit = min(Self.slice, credit + min(passed, Int64(1) << 40))
    }

    private func scheduleTurns() {
        guard !isScheduled else { return }
        isScheduled = true
        // Half a slice at least is worth waking up for.
        let missing = max(0, Self.slice / 2 - credit)
        let pause = TimeAmount.nanoseconds(max(Self.pause, missing))
        loop.assumeIsolated().scheduleTask(in: pause) { [weak self] in self?.takeTurns() }
    }

    private func takeTurns() {
        isScheduled = false
        earn()
        while credit > 0, let uid = order.popFirst() {
            guard var queue = queues.removeValue(forKey: uid), let work = queue.popFirst() else { continue }
            if !queue.isEmpty {
                queues[uid] = queue
                order.append(uid)
            }
            measure(work)
        }
        if !order.isEmpty { scheduleTurns() }
    }
}
