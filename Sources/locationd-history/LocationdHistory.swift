import ArgumentParser
import CommandLineFlags
import Glibc
import LocationInterface
import Logging
import StrictTOML
import Systemd
import TrackHistory
import UnixSignals

/// The entry point: flags, configuration, and then the service until it is asked to end.
///
/// Exit codes: 0 ended as asked, 1 something failed, 2 wrong flags or configuration.
@main
enum LocationdHistory {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let environment = ServiceEnvironment.readAndClear()
        let log = ServiceLogOutput()
        var notifications: NotificationSocket?
        let flags: HistoryFlags
        do {
            flags = try HistoryFlags.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            guard let mistake = HistoryFlags.mistake(error) else { return print(HistoryFlags.fullMessage(for: error)) }
            terminate(2, mistake, log, notifications)
        }
        do {
            if flags.showsVersion { return print("locationd-history \(Release.version)") }
            var configuration = try HistoryConfiguration.load(path: flags.configurationPath)
            if flags.checksConfiguration { return print("the configuration is valid") }
            configuration.apply(flags)
            notifications = try environment.notificationAddress.map { address throws(SystemdError) in
                try NotificationSocket(address)
            }
            // Where it is, and has been, is nobody else's business.
            umask(0o077)
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            let service = try HistoryService(
                configuration, notifications,
                log.logger(configuration.service.logLevel, of: "locationd-history"))
            try await service.run(until: signals)
        } catch let error as ConfigurationError {
            terminate(2, "\(error)", log, notifications)
        } catch {
            terminate(1, "\(error)", log, notifications)
        }
    }

    private static func terminate(
        _ code: Int32, _ reason: String, _ log: ServiceLogOutput, _ notifications: NotificationSocket?
    ) -> Never {
        log.write(.critical, "locationd-history: \(reason)")
        notifications?.send(.status(reason), waits: true)
        exit(code)
    }
}
