import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl start`: switches the location service on.
struct StartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Switches the location service on; this persists over restarts.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        try options.switchService(by: AdminInterface.Method.start, "the location service is on")
    }
}

/// `locctl stop`: switches the location service off.
struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Switches the location service off; this persists over restarts. No program gets a location.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        try options.switchService(
            by: AdminInterface.Method.stop, "the location service is off: no program gets a location")
    }
}

extension ConnectionOptions {
    /// Switches the service, and writes what is so then, or the resulting status as JSON.
    fileprivate func switchService(by method: String, _ outcome: String) throws {
        _ = try administer(method, wait: ConnectionOptions.diskTimeout)
        guard json else { return Output.write(outcome) }
        try Output.writeJSON(try connect().call(LocationInterface.Method.getStatus, as: StatusReply.self))
    }
}

/// `locctl reload`: reloads the configuration.
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reloads the configuration and the policy; connections stay open. An invalid file changes nothing.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        let report = try options.administer(
            AdminInterface.Method.reload, as: ReloadReport.self, wait: ConnectionOptions.diskTimeout)
        if options.json { return try Output.writeJSON(report) }
        let parts = [("changed", report.changed), ("waits for a restart", report.needRestart)].filter { !$1.isEmpty }
        if parts.isEmpty { Output.write("nothing changed") }
        for (what, keys) in parts { Output.write("\(what): \(keys.joined(separator: ", "))") }
    }
}

/// `locctl log-level`: changes how much the daemon logs.
struct LogLevelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Changes how much the daemon logs, until it is reloaded or restarted.")

    @OptionGroup var options: ConnectionOptions

    @Argument(help: "trace, debug, info, notice, warning, error or critical.", completion: .logLevels)
    var level: String

    func run() throws {
        _ = try options.administer(AdminInterface.Method.setLogLevel, LogLevelParameters(level: level))
        try options.writeOutcome("the daemon logs from the level \(level) on, until it is reloaded or restarted")
    }
}
