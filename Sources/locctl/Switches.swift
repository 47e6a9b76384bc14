import ArgumentParser
import LocationInterface
import LocationKit

/// The master switch, on.
struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Switches the location service on, over restarts too.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        _ = try options.connect().administer(AdminInterface.Method.start)
    }
}

/// The master switch, off.
struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switches the location service off, over restarts too; nobody gets a location.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        _ = try options.connect().administer(AdminInterface.Method.stop)
    }
}

/// A new configuration.
struct Reload: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads the configuration again; connections stay. An invalid one changes nothing.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        let report = try options.connect()
            .administer(AdminInterface.Method.reload, as: ReloadReport.self)
        if options.json { return try Output.writeJSON(report) }
        Output.write(report.changed.isEmpty ? "nothing changed" : "changed: \(report.changed.joined(separator: ", "))")
        if !report.needRestart.isEmpty {
            Output.write("waits for a restart: \(report.needRestart.joined(separator: ", "))")
        }
    }
}

/// How much is logged.
struct LogLevel: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes how much the daemon logs, until it is reloaded or restarted.")

    @OptionGroup var options: ConnectionOptions

    @Argument(help: "trace, debug, info, notice, warning, error or critical.")
    var level: String

    func run() throws {
        _ = try options.connect()
            .administer(AdminInterface.Method.setLogLevel, LogLevelParameters(level: level))
    }
}
