import ArgumentParser
import ServiceKit

/// The places service's command line.
struct PlacesFlags: FileServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-places",
        abstract: "Serves the names of places to the programs of this machine.",
        usage: "locationd-places [<options>]",
        discussion: "Exit codes: 0 ended as asked or idle, 1 failed, 2 wrong flags or configuration.")

    /// The path of the socket; `nil` if systemd passes it.
    @Option(
        name: .customLong("socket"),
        help: .init("Listen there instead of on systemd's socket, and do not exit when idle.", valueName: "path"),
        transform: Self.text)
    var socketPath: String?

    @OptionGroup var service: ServiceOptions<PlacesConfiguration>
}
