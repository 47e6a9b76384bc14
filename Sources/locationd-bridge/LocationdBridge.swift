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

/// The entry point: flags, configuration, and then the service until it is asked to end or is idle.
///
/// Exit codes: 0 ended as asked or idle, 1 something failed, 2 wrong flags or configuration.
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
            guard !listeners.gpsd.isEmpty || configuration.geoClue.isEnabled else { throw NothingToListenOn() }
            let service = try await BridgeService(
                configuration, listeners, notifications,
                log.logger(configuration.service.logLevel, of: "locationd-bridge"))
            if let reason = await service.run(until: UnixSignalsSequence(trapping: .sigterm, .sigint)) {
                terminate(1, reason, log, notifications)
            }
        } catch let error where error is ConfigurationError || error is NothingToListenOn {
            terminate(2, "\(error)", log, notifications)
        } catch {
            terminate(1, "\(error)", log, notifications)
        }
    }

    private static func terminate(
        _ code: Int32, _ reason: String, _ log: ServiceLogOutput, _ notifications: NotificationSocket?
    ) -> Never {
        log.write(.critical, "locationd-bridge: \(reason)")
        notifications?.send(.status(reason), waits: true)
        exit(code)
    }
}
