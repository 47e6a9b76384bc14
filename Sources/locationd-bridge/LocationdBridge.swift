import ArgumentParser
import CommandLineFlags
import GPSDBridge
import Glibc
import LocationInterface
import Logging
import StrictTOML
import Systemd
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
///
/// Exit codes: 0 ended as asked, 1 something failed, 2 wrong flags or configuration.
@main
enum LocationdBridge {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let environment = ServiceEnvironment.readAndClear()
        let log = ServiceLogOutput()
        var notifications: NotificationSocket?
        let flags: BridgeFlags
        do {
            flags = try BridgeFlags.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            guard let mistake = BridgeFlags.mistake(error) else { return print(BridgeFlags.fullMessage(for: error)) }
            terminate(2, mistake, log, notifications)
        }
        do {
            if flags.showsVersion { return print("locationd-bridge \(Release.version)") }
            var configuration = try BridgeConfiguration.load(path: flags.configurationPath)
            if flags.checksConfiguration { return print("the configuration is valid") }
            configuration.apply(flags)
            notifications = try environment.notificationAddress.map { address throws(SystemdError) in
                try NotificationSocket(address)
            }
            let listeners = try BridgeListeners(configuration.gpsd, environment)
            try await run(
                configuration, listeners, notifications,
                log.logger(configuration.service.logLevel, of: "locationd-bridge"))
        } catch let error where error is ConfigurationError || error is NothingToListenOn {
            terminate(2, "\(error)", log, notifications)
        } catch {
            terminate(1, "\(error)", log, notifications)
        }
    }

    private static func run(
        _ configuration: BridgeConfiguration, _ listeners: BridgeListeners, _ notifications: NotificationSocket?,
        _ logger: Logger
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        defer { listeners.removeOwnPath() }
        let server = try await GPSDServer(
            listeners.gpsd, daemon: configuration.service.daemon, limits: configuration.gpsd.limits, logger: logger)
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

    private static func terminate(
        _ code: Int32, _ reason: String, _ log: ServiceLogOutput, _ notifications: NotificationSocket?
    ) -> Never {
        log.write(.critical, "locationd-bridge: \(reason)")
        notifications?.send(.status(reason), waits: true)
        exit(code)
    }
}
