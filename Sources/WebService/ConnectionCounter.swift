import NIOCore

/// Counts connections, in all and of each user, and notices when there has been none for a while.
///
/// Ownership: everything belongs to the event loop.
final class ConnectionCounter {
    private let (limit, limitPerUser): (Int, Int)
    private var total = 0
    private var perUser: [UInt32?: Int] = [:]
    private let eventLoop: any EventLoop
    private let idleExit: Double?
    private let idle: () -> Void
    private var timer: Scheduled<Void>?
    /// Until then a browser may come that has a link.
    private var expectation: NIODeadline

    /// - Parameters:
    ///   - idleExit: seconds without a connection after which `idle` is called; `nil` for never.
    init(
        _ limit: Int, perUser: Int, idleExit: Double?, on eventLoop: any EventLoop, idle: @escaping () -> Void
    ) {
        (self.limit, limitPerUser) = (limit, perUser)
        (self.eventLoop, self.idleExit, self.idle) = (eventLoop, idleExit, idle)
        expectation = eventLoop.now
        waitForIdleness()
    }

    private func waitForIdleness() {
        timer?.cancel()
        guard total == 0, let idleExit else { return }
        let moment = max(eventLoop.now + .nanoseconds(Int64(idleExit * 1e9)), expectation)
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: moment, idle)
    }

    func expectConnection(within seconds: Double) {
        expectation = eventLoop.now + .nanoseconds(Int64(seconds * 1e9))
        waitForIdleness()
    }

    /// - Returns: whether there is a place for another connection of this owner; `nil` are those whose owner is unknown, together.
    func enter(_ owner: UInt32?) -> Bool {
        guard total < limit, perUser[owner, default: 0] < limitPerUser else { return false }
        total += 1
        perUser[owner, default: 0] += 1
        waitForIdleness()
        return true
    }

    func leave(_ owner: UInt32?) {
        total -= 1
        let left = perUser[owner, default: 1] - 1
        perUser[owner] = left > 0 ? left : nil
        waitForIdleness()
    }
}
