import Authorization
import CoreMetrics
import Glibc
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ProgramTestSupport
import ServerDoubles
import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport

/// The real server on sockets of its own, with a source that the test plays.
final class TestServer: Sendable {
    /// What a test may want otherwise than usual.
    struct Setup: Sendable {
        var settings = ServerSettings(version: "1.2.3", policy: .strict)
        var hooks = ServerHooks()
        var decisions = Authority.Decisions.known(DecisionTable())
        var sessions = FakeLoginSessions()
        var reduction: ReducedAccuracy?
        var metrics: any MetricsFactory = NOOPMetricsHandler.instance
        var isEnabled = true
        var sequenceStart: Int64 = 100
        var clock = ServiceClock.machine

        init() {
            settings.hub.linger = 0
            // Tests move the machine as they like; what is plausible is tried with the hub.
            settings.hub.plausibility.maximumSpeed = nil
            // The machine may be busy, and a test is no stalled client.
            settings.limits.stalledTimeout = 600
            // The tests themselves keep the threads of look-ups busy.
            settings.lookUpTimeout = 600
        }
    }

    let server: LocationServer
    let folder: TemporaryFolder
    /// Each change of the demand, in order.
    let demands: AsyncStream<Bool>
    private let clients = Mutex<[WireClient]>([])
    private let isStopped = Mutex(false)

    var locationPath: String { folder(SocketName.location) }
    var controlPath: String { folder(SocketName.control) }
    var nmeaPath: String { folder(SocketName.nmea) }

    /// Serves during `body`, which gets it listening; what it connected is closed after it.
    static func run(
        _ change: (inout Setup) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        var setup = Setup()
        change(&setup)
        let server = try await TestServer(setup)
        do {
            try await body(server)
        } catch {
            try await server.end()
            throw error
        }
        try await server.end()
    }

    private init(_ setup: Setup) async throws {
        folder = try TemporaryFolder()
        let (demands, continuation) = AsyncStream.makeStream(of: Bool.self)
        self.demands = demands
        var hooks = setup.hooks
        hooks.onDemand = { continuation.yield($0 > 0) }
        server = try await LocationServer(
            location: .bind(path: folder(SocketName.location), mode: 0o666, group: nil),
            control: .bind(path: folder(SocketName.control), mode: 0o666, group: nil),
            nmea: .bind(path: folder(SocketName.nmea), mode: 0o666, group: nil),
            settings: setup.settings, decisions: setup.decisions, sessions: setup.sessions,
            hub: {
                Hub(
                    settings: setup.settings.hub, sources: ["receiver"], isEnabled: setup.isEnabled,
                    sequenceStart: setup.sequenceStart, lastLocation: nil, reduction: setup.reduction, at: .present)
            },
            environment: hooks.environment,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: setup.metrics, clock: setup.clock)
    }

    private func end() async throws {
        for client in clients.withLock({ $0 }) { await client.close() }
        try await stop()
    }

    /// Stops it, unless that happened already.
    func stop(reason: String = "stopping", patience: Duration = .seconds(5)) async throws {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if isFirst { try await server.stop(reason: reason, patience: patience) }
    }

    // MARK: Clients

    func connect(_ socket: SocketKind = .location) throws -> WireClient {
        switch socket {
        case .control: keep(try WireClient(path: controlPath))
        case .nmea: keep(try WireClient(path: nmeaPath))
        case .location, .unknown: keep(try WireClient(path: locationPath))
        }
    }

    /// Closes the client when the test ends.
    func keep(_ client: WireClient) -> WireClient {
        clients.withLock { $0.append(client) }
        return client
    }

    /// A client whose watch is open; it has read the opening, and that the source starts if it was the first.
    func watcher(_ parameters: String = "{}", isFirst: Bool = false) async throws -> WireClient {
        let client = try connect()
        try await client.send(LocationInterface.Method.watch, parameters, flags: "\"more\":true")
        _ = try await client.message()
        if isFirst { _ = try await client.message() }
        return client
    }

    /// LocationKit's client.
    var client: LocationClient { LocationClient(socketPath: locationPath) }

    /// Returns when every connection has ended.
    func waitUntilAllLeft() async throws {
        let control = try connect(.control)
        try await eventually("every connection has ended") {
            try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self).clients.count <= 1
        }
    }

    // MARK: The source

    func post(_ event: SourceEvent) {
        server.mailbox.post(event, from: 0)
    }

    func post(fix number: Int) throws {
        post(.fix(try Sample.fix(number)))
    }
}

extension AccessPolicy {
    /// Trusts the test: as root, whom it always trusts, the daemon's own user being one whom nobody is; else as that.
    static let strict = AccessPolicy(
        daemonUID: getuid() == 0 ? 64_999 : getuid(), group: 64_001, groupName: "locationd")
}

extension BootInstant {
    static var present: BootInstant {
        var time = timespec()
        clock_gettime(7, &time)
        return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
