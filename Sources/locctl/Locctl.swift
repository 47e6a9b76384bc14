import ArgumentParser
import Glibc
import LocationInterface
import LocationKit

/// The administrator's command.
///
/// Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 the daemon cannot be reached, 4 not authorized, 5 no location or place.
@main
struct Locctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locctl",
        abstract: "Tells where this machine is, and looks after the service that knows.",
        discussion: """
            Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 the daemon cannot be reached, 4 not authorized, 5 no location \
            or place.
            Without --socket and LOCATIOND_SOCKET the control socket is used where you may, else the public one.
            """,
        version: "locctl \(Release.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Where",
                subcommands: [
                    Status.self, Watch.self, Monitor.self, Get.self, Place.self, MonitorRegion.self, Regions.self,
                ]),
            CommandGroup(
                name: "Who may know",
                subcommands: [
                    RequestAuthorization.self, Authorizations.self, Authorize.self, Deny.self,
                    ResetAuthorization.self, History.self, ForgetMonitor.self,
                ]),
            CommandGroup(
                name: "Service",
                subcommands: [
                    Clients.self, Disconnect.self, Start.self, Stop.self, Reload.self, LogLevel.self,
                    StatisticsCommand.self, Diagnose.self,
                ]),
            CommandGroup(name: "Make-believe", subcommands: [Simulate.self, Record.self, Replay.self]),
        ])

    static func main() {
        do {
            var command = try parseAsRoot(LeadingOptions.moved(Array(CommandLine.arguments.dropFirst())))
            try command.run()
        } catch let error as LocationError {
            leave(error.exitCode, "locctl: \(error)", error.nextStep)
        } catch let error as GeocodingError {
            leave(error.exitCode, "locctl: \(error)")
        } catch let error as Failure {
            leave(error.code, error.message.map { "locctl: \($0)" })
        } catch {
            // Help and version are "errors" of ArgumentParser that exit with 0.
            let isClean = exitCode(for: error) == .success
            Output.writeText(fullMessage(for: error) + "\n", to: isClean ? STDOUT_FILENO : STDERR_FILENO)
            Glibc.exit(isClean ? 0 : ExitCodes.usage)
        }
    }

    private static func leave(_ code: Int32, _ message: String?, _ nextStep: String? = nil) -> Never {
        if let message { Output.write(message, to: STDERR_FILENO) }
        if let nextStep { Output.write("  \(nextStep)", to: STDERR_FILENO) }
        Glibc.exit(code)
    }
}
