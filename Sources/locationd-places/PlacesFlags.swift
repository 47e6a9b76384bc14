import ArgumentParser
import CommandLineFlags
import Logging

/// The places service's command line.
struct PlacesFlags: ServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-places",
        abstract: "Serves the names of places to the programs of this machine.",
        usage: "locationd-places [<options>]",
        discussion: "Exit codes: 0 ended as asked or idle, 1 failed, 2 wrong flags or configuration.")

    /// The configuration file; `nil` for the default one, which may be missing.
    @Option(
        name: .customLong("config"),
        help: .init("Read this configuration instead of \(PlacesConfiguration.defaultPath).", valueName: "path"),
        transform: Self.text)
    var configurationPath: String?

    @Flag(name: .customLong("check-config"), help: "Check the configuration and exit.")
    var checksConfiguration = false

    /// The path of the socket; `nil` if systemd passes it.
    @Option(
        name: .customLong("socket"),
        help: .init("Listen there instead of on systemd's socket, and do not exit when idle.", valueName: "path"),
        transform: Self.text)
    var socketPath: String?

    /// The least severe level that is logged; `nil` leaves it to the configuration.
    @Option(
        help: .init("Log this level and above: trace, debug, info, …, critical.", valueName: "level"),
        transform: Self.level)
    var logLevel: Logger.Level?

    @Flag(name: .customLong("version"), help: "Print the version and exit.")
    var showsVersion = false
}
