import NIOCore

/// The connections that are open, to end when there was none for a while.
///
/// Ownership: everything belongs to the event loop.
final class Connections {
    private let idleExit: Double?
    private let eventLoop: any EventLoop
    private let whenIdle: () -> Void
    private var listeners: [any Channel] = []
    private var count = 0
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - idleExit: seconds without a connection; `nil` for never.
    ///   - whenIdle: called once, when no connection is accepted any more.
    init(idleExit: Double?, on eventLoop: any EventLoop, whenIdle: @escaping () -> Void) {
        self.idleExit = idleExit
        self.eventLoop = eventLoop
        self.whenIdle = whenIdle
    }

    /// Takes the channels that accept connections.
    func listen(_ listeners: [any Channel]) {
        self.listeners = listeners
        if count == 0 { wait() }
    }

    /// A connection was accepted.
    func add(_ channel: any Channel) {
        count += 1
        timer?.cancel()
        timer = nil
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            guard let self else { return }
            count -= 1
            if count == 0 { wait() }
        }
    }

    private func wait() {
        guard let idleExit, timer == nil else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(idleExit * 1e9))) { [weak self] in
            self?.end()
        }
    }

    /// From here on new connections wait in the sockets' backlogs, for the next process: what was accepted before was added.
    private func end() {
        for listener in listeners { try? listener.syncOptions?.setOption(.autoRead, value: false) }
        whenIdle()
    }
}
