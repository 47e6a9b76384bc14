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
            try await run(flags, notifications, log.logger(flags.logLevel, of: "locationd-bridge"))
        } catch {
            log.write(.critical, "\(error)")
            exit(1)
        }
    }

    private static func run(
        _ flags: BridgeFlags, _ notifications: NotificationSocket?, _ logger: Logger
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let endpoints =
            (flags.gpsd.map { [.tcp(host: $0.host, port: $0.port)] } ?? [])
            + (flags.gpsdSocket.map { [GPSDServer.Endpoint.unix(path: $0)] } ?? [])
        let server = try await GPSDServer(endpoints, daemon: flags.daemon, logger: logger)
        logger.notice(
            "listening",
            metadata: [
                "gpsd": "\(flags.gpsd.map { "\($0.host):\(server.port ?? $0.port)" } ?? "off")",
                "socket": "\(flags.gpsdSocket ?? "off")", "version": "\(Release.version)",
            ])
        notifications?.send(.ready, waits: true)
        for await _ in signals { break }
        notifications?.send(.stopping, waits: true)
        await server.stop()
        logger.info("ended")
    }
}
