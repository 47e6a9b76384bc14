import ArgumentParser
import CommandLineFlags
import Logging

/// The track history's command line.
struct HistoryFlags: ServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-history",
        abstract: "Records where this machine was, in a GeoPackage.",
        usage: "locationd-history [<options>]",
        discussion: "Exit codes: 0 ended as asked, 1 failed, 2 wrong flags or configuration.")

    /// The configuration file; `nil` for the default one, which may be missing.
    @Option(
        name: .customLong("config"),
        help: .init("Read this configuration instead of \(HistoryConfiguration.defaultPath).", valueName: "path"),
        transform: Self.text)
    var configurationPath: String?

    @Flag(name: .customLong("check-config"), help: "Check the configuration and exit.")
    var checksConfiguration = false

    /// The daemon's socket; `nil` leaves it to the configuration.
    @Option(help: .init("The daemon's socket.", valueName: "path"), transform: Self.text)
    var daemon: String?

    /// The file of the track; `nil` leaves it to the configuration.
    @Option(help: .init("Write the track to this GeoPackage.", valueName: "path"), transform: Self.text)
    var file: String?

    @Flag(help: "Record simulated and replayed locations too.")
    var includeSimulated = false

    /// The least severe level that is logged; `nil` leaves it to the configuration.
    @Option(
        help: .init("Log this level and above: trace, debug, info, …, critical.", valueName: "level"),
        transform: Self.level)
    var logLevel: Logger.Level?

    @Flag(name: .customLong("version"), help: "Print the version and exit.")
    var showsVersion = false
}
