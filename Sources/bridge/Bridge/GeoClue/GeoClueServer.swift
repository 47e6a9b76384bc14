import DBus
package import Logging
import NIOCore
import NIOPosix
package import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport

/// Serves programs that are written for GeoClue, `org.freedesktop.GeoClue2` on the system bus, each with what its user
/// may know by the daemon.
///
/// A thread waits for the bus; everything else is done on the event loop.
package final class GeoClueServer: Sendable {
    /// Why it has ended.
    package enum End: Sendable, Equatable {
        case stopped
        case idle
        /// Another program has the name on the bus.
        case nameTaken
        case failed(String)
    }

    private let daemon: String
    private let address: String?
    private let estimates: Bool
    private let idleTimeout: Double?
    private let logger: Logger
    private let log: OutageLog
    private let isStopping = Atomic(false)
    private let waker: Waker?

    /// - Parameters:
    ///   - daemon: the path of the daemon's socket.
    ///   - address: of the bus; `nil` is the system bus, or that of DBUS_SYSTEM_BUS_ADDRESS.
    ///   - estimates: whether programs receive estimates in place of fixes.
    ///   - idleTimeout: seconds without clients after which it ends; `nil` for never.
    ///   - log: what is told of outages; `nil` for one of its own.
    package init(
        daemon: String, address: String? = nil, estimates: Bool = false, idleTimeout: Double?, logger: Logger,
        log: OutageLog? = nil
    ) {
        self.daemon = daemon
        self.address = address
        self.estimates = estimates
        self.idleTimeout = idleTimeout
        self.logger = logger
        self.log = log ?? OutageLog(logger)
        waker = Waker()
    }

    /// Ends ``run(report:whenReady:)`` soon.
    package func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        waker?.wake()
    }

    /// Serves until there is a reason to end.
    ///
    /// - Parameters:
    ///   - report: called with the state of the service in words, when there is something to say.
    ///   - whenReady: called when the name is owned.
    package func run(
        report: @escaping @Sendable (String) -> Void = { _ in }, whenReady: @escaping @Sendable () -> Void
    ) async -> End {
        guard let waker else { return .failed("no descriptor is left; raise LimitNOFILE") }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let end = await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start(named: "bus-poller") {
                continuation.resume(returning: self.poll(eventLoop, waker, whenReady, report))
            }
            if !isStarted {
                continuation.resume(returning: .failed("the system allows no further thread; raise TasksMax"))
            }
        }
        try? await group.shutdownGracefully()
        return end
    }

    /// Waits for the bus, on a thread of its own, and lets the event loop process what has come.
    private func poll(
        _ eventLoop: any EventLoop, _ waker: Waker, _ whenReady: @escaping @Sendable () -> Void,
        _ report: @escaping @Sendable (String) -> Void
    ) -> End {
        let (daemon, address, estimates, idleTimeout) = (daemon, address, estimates, idleTimeout)
        let (logger, log) = (logger, log)
        let bus: NIOLoopBound<GeoClueBus>
        do {
            bus = try eventLoop.submit {
                let bus = try GeoClueBus(
                    daemon: daemon, address: address, estimates: estimates, idleTimeout: idleTimeout,
                    eventLoop: eventLoop, logger: logger, log: log, whenReady: whenReady, report: report)
                bus.whenSent = { _ in waker.wake() }
                return NIOLoopBound(bus, eventLoop: eventLoop)
            }.wait()
        } catch {
            switch error as? BusFailure {
            case .noLibrary?: return .failed("GeoClue's interface needs libsystemd; install libsystemd0")
            default: return .failed("the system bus cannot be reached (\(error)); see `systemctl status dbus`")
            }
        }
        defer { try? eventLoop.submit { bus.value.close() }.wait() }
        while !isStopping.load(ordering: .sequentiallyConsistent) {
            waker.drain()
            let turn = try? eventLoop.submit {
                bus.value.process()
                return Turn(
                    end: bus.value.end, descriptor: bus.value.descriptor, events: bus.value.events,
                    patience: bus.value.patience)
            }.wait()
            guard let turn else { return .failed("the event loop has ended") }
            switch turn.end {
            case .nameTaken?: return .nameTaken
            case .failed(let reason)?: return .failed(reason)
            case .idle?: return .idle
            case nil: _ = waker.wait(for: turn.descriptor, events: turn.events, seconds: turn.patience)
            }
        }
        return .stopped
    }

    private struct Turn: Sendable {
        let end: GeoClueBus.End?
        let descriptor: Int32
        let events: Int32
        let patience: Double
    }
}
