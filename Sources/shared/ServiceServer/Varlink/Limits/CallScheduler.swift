package import NIOCore

/// Divides the event loop's time between deliveries and users' calls: all calls together may take half of the time, in
/// slices of a millisecond, and users take turns, whatever the number of their connections.
///
/// Work runs at once while there is credit and no other work waits. Credit is the time that passes without users' work,
/// up to ``slice``; work spends it by the time it takes. Work that takes longer than a slice causes a longer pause.
/// Deliveries run in between: they wait for at most one slice and the piece of work that ends it.
///
/// Ownership: everything here belongs to the event loop.
package final class CallScheduler {
    package typealias Work = () -> Void

    /// The most time of one turn of users' work, nanoseconds.
    static let slice: Int64 = 1_000_000
    /// The least pause between two slices, in which the event loop polls its sockets.
    private static let pause: Int64 = 200_000

    private let loop: any EventLoop
    private let clock: () -> NIODeadline
    private var queue = FairQueue<Work>()
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

    /// The number of waiting pieces of work.
    package var waiting: Int { queue.count }

    /// Whether work may run at once, by ``measure(_:)``. Otherwise it has to wait for its user's turn.
    package var isFree: Bool {
        guard !isRunning, queue.isEmpty else { return false }
        addCredit()
        return credit > 0
    }

    /// Runs work at once and counts its time.
    package func measure(_ work: Work) {
        let start = clock()
        isRunning = true
        work()
        isRunning = false
        let end = clock()
        credit -= (end - start).nanoseconds
        creditedAt = end
    }

    /// Runs work when it is its user's turn.
    package func enqueue(for uid: UInt32, _ work: @escaping Work) {
        queue.append(work, of: uid)
        scheduleRun()
    }

    /// Runs work now if that is allowed, else when it is its user's turn.
    package func perform(for uid: UInt32, _ work: @escaping Work) {
        if isFree { measure(work) } else { enqueue(for: uid, work) }
    }

    private func addCredit() {
        let now = clock()
        let passed = max(0, (now - creditedAt).nanoseconds)
        creditedAt = now
        credit = min(Self.slice, credit + min(passed, Int64(1) << 40))
    }

    private func scheduleRun() {
        guard !isScheduled else { return }
        isScheduled = true
        // Waking up for less than half a slice is not worth it.
        let missing = max(0, Self.slice / 2 - credit)
        let pause = TimeAmount.nanoseconds(max(Self.pause, missing))
        loop.assumeIsolated().scheduleTask(in: pause) { [weak self] in self?.runQueued() }
    }

    private func runQueued() {
        isScheduled = false
        addCredit()
        while credit > 0, let (_, work) = queue.popFirst() { measure(work) }
        if !queue.isEmpty { scheduleRun() }
    }
}
