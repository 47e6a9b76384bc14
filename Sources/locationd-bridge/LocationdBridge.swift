import ArgumentParser
import CommandLineFlags
import GPSDBridge
import GeoClueBridge
import Glibc
import LocationInterface
import Logging
import StrictTOML
import Systemd
import UnixSignals

/// The entry point: flags, and then the service until it is asked to end.
///
/// Exit codes: 0 ended as asked, 1 something failed, 2 wrong flags.
@main
enum LocationdBridge {
    /// Seconds without clients after which it ends where it is started by whoever calls it.
    private static let idleTimeout = 60.0

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let environment = ServiceEnvironment.readAndClear()
        let log = ServiceLogOutput()
        let flags: BridgeFlags
        do {
            flags = try BridgeFlags.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            guard let mistake = BridgeFlags.mistake(error) else { return print(BridgeFlags.fullMessage(for: error)) }
            log.write(.critical, mistake)
            exit(2)
        }
        if flags.showsVersion { return print("locationd-bridge \(Release.version)") }
        do {
            let notifications = try environment.notificationAddress.map { address throws(SystemdError) in
                try NotificationSocket(address)
            }
            let inherited = try InheritedSockets(
                names: environment.socketNames(), required: [], optional: ["gpsd", "gpsd-unix"], internet: ["gpsd"])
            let endpoints = endpoints(flags, inherited)
            guard !endpoints.isEmpty || flags.servesGeoClue else {
                log.write(.critical, "systemd passes no socket; give --gpsd HOST:PORT, --gpsd-socket PATH or --geoclue")
                exit(2)
            }
            try await run(flags, endpoints, notifications, log.logger(flags.logLevel, of: "locationd-bridge"))
        } catch {
            log.write(.critical, "\(error)")
            exit(1)
        }
    }

    private static func endpoints(_ flags: BridgeFlags, _ inherited: InheritedSockets) -> [GPSDServer.Endpoint] {
        let passed = ["gpsd", "gpsd-unix"].compactMap { inherited[$0] }.map {
            GPSDServer.Endpoint.inherited($0.descriptor)
        }
        let own =
            [flags.gpsd.map { GPSDServer.Endpoint.tcp(host: $0.host, port: $0.port) }]
            + [flags.gpsdSocket.map { .unix(path: $0) }]
        return passed + own.compactMap(\.self)
    }

    private static func run(
        _ flags: BridgeFlags, _ endpoints: [GPSDServer.Endpoint], _ notifications: NotificationSocket?, _ logger: Logger
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let server =
            endpoints.isEmpty ? nil : try await GPSDServer(endpoints, daemon: flags.daemon, logger: logger)
        if let server {
            logger.notice(
                "listening",
                metadata: [
                    "addresses": "\(server.addresses.joined(separator: " "))", "version": "\(Release.version)",
                ])
        }
        // Without systemd nobody would start it again.
        let idleTimeout = server == nil && notifications != nil ? Self.idleTimeout : nil
        let geoclue =
            flags.servesGeoClue ? GeoClueServer(daemon: flags.daemon, idleTimeout: idleTimeout, logger: logger) : nil
        if geoclue == nil { notifications?.send(.ready, waits: true) }
        let end = await Self.serve(geoclue, beside: server, until: signals, notifications, logger)
        notifications?.send(.stopping, waits: true)
        await server?.stop()
        switch end {
        case .stopped, .idle: logger.info("ended")
        case .nameTaken:
            logger.critical("another program serves GeoClue's interface; disable it, or do not start this one")
            exit(1)
        case .failed(let reason):
            logger.critical("\(reason)")
            exit(1)
        }
    }

    /// Serves until there is a signal, or a reason to end without gpsd's programs.
    private static func serve(
        _ geoclue: GeoClueServer?, beside server: GPSDServer?, until signals: UnixSignalsSequence,
        _ notifications: NotificationSocket?, _ logger: Logger
    ) async -> GeoClueServer.End {
        await withTaskGroup(of: GeoClueServer.End.self) { group in
            group.addTask {
                for await _ in signals { break }
                geoclue?.stop()
                return .stopped
            }
            if let geoclue {
                group.addTask {
                    await geoclue.run {
                        logger.notice("serving", metadata: ["name": "org.freedesktop.GeoClue2"])
                        notifications?.send(.ready, waits: true)
                    }
                }
            }
            var end = await group.next() ?? .stopped
            if end == .nameTaken, server != nil {
                logger.warning("another program serves GeoClue's interface; only gpsd's programs are served")
                notifications?.send(.ready, waits: true)
                end = await group.next() ?? .stopped
            }
            group.cancelAll()
            return end
        }
    }
}
