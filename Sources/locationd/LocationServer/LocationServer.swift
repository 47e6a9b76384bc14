package import Authorization
package import CoreMetrics
package import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
package import Logging
package import ServiceServer
@_spi(Programs) package import SystemSupport

/// The sockets and the event loop that serves them.
///
/// One thread sends locations, status and heading to all clients; it never blocks on anything but the kernel.
package final class LocationServer: Sendable {
    private let loop: ServiceLoop
    private let service: LoopBound<ServerDispatcher>
    private let listener: Listener
    /// Where sources put their events.
    package let mailbox: Mailbox

    /// Bytes the kernel may hold for one client. It counts a message of up to 700 bytes as 1,280 and one of up to 1,700
    /// as 2,304, and doubles this number: a client that reads sees a burst of 50 fixes without loss, which is what gpsd
    /// sends after five seconds at 10 Hz, and one that resumes after a pause finds 54 old ones, or 97 of the small
    /// ones. Sentences of NMEA 0183 of a fix or a view of the sky are such messages too.
    private static let sendBuffer = 62_208

    /// Starts to listen. The server is ready when this returns.
    ///
    /// - Parameters:
    ///   - hub: makes the hub, on the loop that owns it from then on.
    ///   - nmea: the socket where other location services read NMEA sentences; `nil` if there is none.
    ///   - metrics: where measurements are recorded.
    package init(
        location: consuming ListeningSocket, control: consuming ListeningSocket,
        nmea: consuming ListeningSocket? = nil, settings: ServerSettings,
        decisions: Authority.Decisions, sessions: any LoginSessions,
        hub: @escaping @Sendable () -> Hub, environment: ServerEnvironment, logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, clock: ServiceClock = .machine
    ) async throws {
        let instruments = ServerInstruments(metrics)
        let loop = ServiceLoop()
        let (service, limits, usersServingOthers) = try await loop.run {
            let service = ServerDispatcher(
                loop: loop, settings: settings, decisions: decisions, sessions: sessions, hub: hub(),
                environment: environment, logger: logger, instruments: instruments, clock: clock)
            guard service.watchProcesses() else { throw NoThread() }
            let connections = service.connections
            return (loop.bind(service), loop.bind(connections.limits), connections.usersServingOthers)
        }
        let mailbox = Mailbox { mailbox in
            let posted = MachineClock.now
            loop.execute {
                instruments.eventLoopLatency.recordSeconds(MachineClock.now.seconds(since: posted))
                service.value.read(mailbox)
            }
        }
        func endpoint(_ socket: consuming ListeningSocket, _ kind: SocketKind) throws -> Listener.Endpoint {
            try Listener.Endpoint(
                socket, input: kind == .nmea ? .nothing : .calls, sendBuffer: Self.sendBuffer,
                requestLimit: kind == .nmea ? 0 : service.value.settings.limits.requestSize
            ) { connection, descriptor, _ in
                service.value.accept(connection, descriptor: descriptor, socket: kind)
            }
        }
        var endpoints = [try endpoint(location, .location), try endpoint(control, .control)]
        if let nmea { endpoints.append(try endpoint(nmea, .nmea)) }
        // Root and the daemon's own user are exempt from limits, whatever the policy says.
        let policy = settings.policy
        listener = try Listener(
            endpoints, on: loop, limits: limits, connectionsPerSecond: settings.userLimits.callsPerSecond,
            isExempt: policy.isExemptFromLimits(uid:), connectsForOthers: usersServingOthers.contains
        ) { service.value.connections.refusedCount += $0 }
        self.loop = loop
        self.service = service
        self.mailbox = mailbox
    }

    /// Changes the settings that can change while clients are connected.
    package func apply(_ change: @escaping @Sendable (inout ServerSettings) -> Void) async throws {
        let service = service
        let perSecond = try await loop.run {
            service.value.apply(change)
            return service.value.settings.userLimits.callsPerSecond
        }
        listener.setLimit(connectionsPerSecond: perSecond)
    }

    /// Applies the decisions that were read again from the file.
    package func replaceDecisions(_ decisions: Authority.Decisions) async throws {
        let service = service
        try await loop.run { service.value.replaceDecisions(decisions) }
    }

    /// Applies a replacement of the sources.
    ///
    /// - Parameters:
    ///   - names: those of locations, by rank.
    ///   - compasses: those of headings alone.
    package func replaceSources(
        _ names: [String], compasses: [String] = [], lowPower: Set<String> = []
    ) async throws {
        let service = service
        try await loop.run { service.value.replaceSources(names, compasses: compasses, lowPower: lowPower) }
    }

    /// The present counters of the service.
    package func figures() async throws -> ServiceFigures {
        let service = service
        return try await loop.run { service.value.administration.figures }
    }

    /// Sends the reason to every watch. Returns when all clients have read it, or when the patience is over.
    package func stop(reason: String, patience: Duration = .seconds(5)) async throws {
        await listener.close()
        let service = service
        let seconds = patience / .seconds(1)
        try await loop.wait(for: { service.value.finish(reason: reason, within: seconds) })
        // Sources may outlive the event loop, which accepts no work after its end.
        mailbox.close()
        let areTasksEnded = try await loop.wait(for: { service.value.context.tasks.end(within: 5) })
        // A task that waits for a dead disk may still finish and use the loop: it then ends with the process.
        if areTasksEnded { try await loop.shutDown() }
    }
}

private struct NoThread: Error, CustomStringConvertible {
    let description = "no thread or descriptor is available; raise the limits of the service"
}
