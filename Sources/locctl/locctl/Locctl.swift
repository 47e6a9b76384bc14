import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The administrator's command.
///
/// Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 the daemon cannot be reached, 4 not authorized, 5 no location or place.
@main
struct Locctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locctl",
        abstract: "Shows where this machine is, and administers the location service.",
        discussion: """
            Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 the daemon cannot be reached, 4 not authorized, 5 no location \
            or place.
            Without --socket and LOCATIOND_SOCKET the control socket is used if you have access to it, else the public one.
            """,
        version: "locctl \(Release.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Locations",
                subcommands: [
                    StatusCommand.self, WatchLocationsCommand.self, MonitorCommand.self, GetCommand.self,
                    PlaceCommand.self,
                    MonitorRegionCommand.self, RegionsCommand.self, FleetCommand.self, NearbyCommand.self,
                ]),
            CommandGroup(
                name: "Authorization",
                subcommands: [
                    RequestAuthorizationCommand.self, AuthorizationsCommand.self, AuthorizeCommand.self,
                    DenyCommand.self,
                    ResetAuthorizationCommand.self, UsageCommand.self, AuditCommand.self, ForgetMonitorCommand.self,
                ]),
            CommandGroup(
                name: "Service",
                subcommands: [
                    ClientsCommand.self, DisconnectCommand.self, StartCommand.self, StopCommand.self,
                    SourceCommand.self, SuspendCommand.self, ResumeCommand.self,
                    ReloadCommand.self, LogLevelCommand.self,
                    StatisticsCommand.self, DiagnoseCommand.self, WebCommand.self,
                ]),
            CommandGroup(name: "Track", subcommands: [TrackCommand.self, TripsCommand.self]),
            CommandGroup(
                name: "Simulation",
                subcommands: [SimulateCommand.self, RecordCommand.self, ReplayCommand.self, ConvertCommand.self]),
        ])

    /// All errors begin alike, those of ArgumentParser too.
    static var _errorPrefix: String { "locctl: " }

    static func main() {
        let (arguments, advice) = FormerNames.replaced(in: Array(CommandLine.arguments.dropFirst()))
        if let advice { Output.writeText("locctl: \(advice)\n", to: STDERR_FILENO) }
        let words = CommandLineWords(arguments)
        if let mistake = words.mistakeInHelp { exit(ExitCodes.usage, "locctl: \(mistake)") }
        do {
            var command = try parseAsRoot(words.prepared)
            try command.run()
        } catch let error as LocationError {
            exit(error.exitCode, "locctl: \(error)", error.nextStep)
        } catch let error as GeocodingError {
            exit(error.exitCode, "locctl: \(error)")
        } catch let error as Failure {
            exit(error.code, error.message.map { "locctl: \($0)" })
        } catch {
            // Help and version are "errors" of ArgumentParser that exit with 0.
            let isClean = exitCode(for: error) == .success
            if !isClean, let mistake = words.mistake { exit(ExitCodes.usage, "locctl: \(mistake)") }
            Output.writeText(fullMessage(for: error) + "\n", to: isClean ? STDOUT_FILENO : STDERR_FILENO)
            Glibc.exit(isClean ? 0 : ExitCodes.usage)
        }
    }

    private static func exit(_ code: Int32, _ message: String?, _ nextStep: String? = nil) -> Never {
        if let message { Output.write(message, to: STDERR_FILENO) }
        if let nextStep { Output.write("  \(nextStep)", to: STDERR_FILENO) }
        Glibc.exit(code)
    }
}
