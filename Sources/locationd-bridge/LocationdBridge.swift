import ArgumentParser
import CommandLineFlags
import GPSDBridge
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
            guard !endpoints.isEmpty else {
                log.write(.critical, "systemd passes no socket; give --gpsd HOST:PORT or --gpsd-socket PATH, or both")
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
        let server = try await GPSDServer(endpoints, daemon: flags.daemon, logger: logger)
        logger.notice(
            "listening",
            metadata: [
                "addresses": "\(server.addresses.joined(separator: " "))", "version": "\(Release.version)",
            ])
        notifications?.send(.ready, waits: true)
        for await _ in signals { break }
        notifications?.send(.stopping, waits: true)
        await server.stop()
        logger.info("ended")
    }
}
