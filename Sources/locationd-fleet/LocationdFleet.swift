import ArgumentParser
import CommandLineFlags
import FleetOutbox
import Glibc
import LocationInterface
import Logging
import MQTT
import StrictTOML
import Systemd
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
///
/// Exit codes: 0 ended as asked, 1 something failed, 2 wrong flags or configuration.
@main
enum LocationdFleet {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let environment = ServiceEnvironment.readAndClear()
        let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
        let log = ServiceLogOutput()
        var notifications: NotificationSocket?
        let flags: FleetFlags
        do {
            flags = try FleetFlags.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            guard let mistake = FleetFlags.mistake(error) else { return print(FleetFlags.fullMessage(for: error)) }
            terminate(2, mistake, log, notifications)
        }
        do {
            if flags.showsVersion { return print("locationd-fleet \(Release.version)") }
            var configuration = try FleetConfiguration.load(path: flags.configurationPath)
            if flags.checksConfiguration { return print("the configuration is valid") }
            configuration.apply(flags)
            notifications = try environment.notificationAddress.map { address throws(SystemdError) in
                try NotificationSocket(address)
            }
            let device = try configuration.device()
            let settings = try configuration.brokerSettings(for: device, credentials: credentials)
            let outbox = try MessageOutbox(
                path: configuration.outbox.path, limit: configuration.outbox.sizeLimit << 20)
            let service = FleetService(
                configuration, device, settings, outbox, notifications,
                log.logger(configuration.service.logLevel, of: "locationd-fleet"))
            if let reason = await service.run(until: UnixSignalsSequence(trapping: .sigterm, .sigint)) {
                terminate(1, reason, log, notifications)
            }
        } catch let error where error is ConfigurationError || error is NotConfigured {
            terminate(2, "\(error)", log, notifications)
        } catch {
            terminate(1, "\(error)", log, notifications)
        }
    }

    private static func terminate(
        _ code: Int32, _ reason: String, _ log: ServiceLogOutput, _ notifications: NotificationSocket?
    ) -> Never {
        log.write(.critical, "locationd-fleet: \(reason)")
        notifications?.send(.status(reason), waits: true)
        exit(code)
    }
}
