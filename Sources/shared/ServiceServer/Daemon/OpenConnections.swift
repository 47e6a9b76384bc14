package import NIOCore

/// The connections of a service that are open, to notice when there has been none for a while.
///
/// Ownership: everything belongs to the event loop.
package final class OpenConnections {
    private let seconds: Double?
    private let eventLoop: any EventLoop
    private var whenIdle: (() -> Void)?
    private var count = 0
    private var timer: Scheduled<Void>?
    /// Until then somebody may come who was invited.
    private var expectation: NIODeadline

    /// - Parameter seconds: how long there must be no connection; `nil` for ever.
    package init(after seconds: Double?, on eventLoop: any EventLoop) {
        self.seconds = seconds
        self.eventLoop = eventLoop
        expectation = eventLoop.now
    }

    /// From here on the time passes.
    ///
    /// - Parameter whenIdle: called once; no connection may be accepted any more then, because nobody would serve it.
    package func begin(whenIdle: @escaping () -> Void) {
        self.whenIdle = whenIdle
        wait()
    }

    /// A connection was accepted.
    package func add(_ channel: any Channel) {
        count += 1
        wait()
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            guard let self else { return }
            count -= 1
            wait()
        }
    }

    /// Somebody is expected within so many seconds.
    package func expectConnection(within seconds: Double) {
        expectation = eventLoop.now + .nanoseconds(Int64(seconds * 1e9))
        wait()
    }

    private func wait() {
        timer?.cancel()
        timer = nil
        guard let seconds, let whenIdle, count == 0 else { return }
        let moment = max(eventLoop.now + .nanoseconds(Int64(seconds * 1e9)), expectation)
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: moment) { [weak self] in
            self?.whenIdle = nil
            whenIdle()
        }
    }
}
