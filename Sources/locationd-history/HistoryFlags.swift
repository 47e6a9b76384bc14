import ArgumentParser
import CommandLineFlags

/// The track history's command line.
struct HistoryFlags: FileServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-history",
        abstract: "Records where this machine was, in a GeoPackage.",
        usage: "locationd-history [<options>]",
        discussion: "Exit codes: 0 ended as asked, 1 failed, 2 wrong flags or configuration.")

    /// The daemon's socket; `nil` leaves it to the configuration.
    @Option(help: .init("The daemon's socket.", valueName: "path"), transform: Self.text)
    var daemon: String?

    /// The file of the track; `nil` leaves it to the configuration.
    @Option(help: .init("Write the track to this GeoPackage.", valueName: "path"), transform: Self.text)
    var file: String?

    @Flag(help: "Record simulated and replayed locations too.")
    var includeSimulated = false

    @OptionGroup var service: ServiceOptions<HistoryConfiguration>
}
