@_spi(Programs) package import LocationInterface
@_spi(Programs) import LocationModel
package import NIOCore
import Varlink

/// A watch at the daemon for programs of one user; it is opened anew after an outage.
///
/// Ownership: everything belongs to the event loop.
package final class ServedWatch {
    package enum Input {
        case update(WatchReply)
        /// The daemon is gone, or refuses the bridge, for this reason; it is tried again.
        case outage(String)
    }

    /// Seconds to the first and the longest pause before the daemon is tried again.
    private static let (firstPause, longestPause) = (0.5, 8.0)

    private let daemon: String
    private let call: [UInt8]
    private let eventLoop: any EventLoop
    private let readComplete: () -> Void
    private let receive: (Input) -> Void
    private var connection: DaemonConnection?
    private var retry: Scheduled<Void>?
    private var pause = ServedWatch.firstPause

    /// - Parameters:
    ///   - call: the call of `Watch`.
    ///   - readComplete: called soon after each `receive`, when nothing more has arrived.
    package init(
        daemon: String, call: [UInt8], on eventLoop: any EventLoop, readComplete: @escaping () -> Void = {},
        receive: @escaping (Input) -> Void
    ) {
        self.daemon = daemon
        self.call = call
        self.eventLoop = eventLoop
        self.readComplete = readComplete
        self.receive = receive
        open()
    }

    package func close() {
        retry?.cancel()
        connection?.close()
        connection = nil
    }

    private func open() {
        connection = DaemonConnection(
            to: daemon, on: eventLoop, call: call, readComplete: { [weak self] in self?.readComplete() },
            receive: { [weak self] in self?.apply($0) })
    }

    private func apply(_ input: DaemonConnection.Input) {
        switch input {
        case .ended(let reason): fail(reason)
        case .update(let update): receive(.update(update))
        case .reply(let reply):
            guard reply.error == nil, let update = try? reply.parameters(as: WatchReply.self) else {
                return fail("locationd refuses: \(reply.error ?? "an unknown reply")")
            }
            pause = Self.firstPause
            receive(.update(update))
            if !reply.continues { fail(update.status?.reason ?? "locationd has ended the watch") }
        }
    }

    private func fail(_ reason: String) {
        // It may have been closed by what it delivered.
        guard connection != nil else { return }
        connection?.close()
        connection = nil
        retry = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(pause * 1e9))) { [weak self] in
            self?.open()
        }
        pause = min(2 * pause, Self.longestPause)
        receive(.outage(reason))
    }
}
