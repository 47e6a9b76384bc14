import ArgumentParser
import ServiceKit
import TrackHistory

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

    /// The socket of `org.locationd.history`; `nil` if systemd's runtime directory has it, or there is none.
    @Option(
        name: .customLong("socket"),
        help: .init(
            "Serve the track at this socket, which systemd's runtime directory has otherwise.", valueName: "path"),
        transform: Self.text)
    var socketPath: String?

    @Flag(help: "Record nothing and serve the file alone, to its owner, until nobody is connected.")
    var readOnly = false

    @Flag(help: "Record simulated and replayed locations too.")
    var includeSimulated = false

    func validate() throws {
        guard readOnly else { return }
        guard file != nil, socketPath != nil else { throw ValidationError("--read-only needs --file and --socket") }
    }

    @OptionGroup var service: ServiceOptions<HistoryConfiguration>

    func replaceKeys(of configuration: inout HistoryConfiguration) {
        if let daemon { configuration.service.daemon = daemon }
        if let file { configuration.track.file = file }
        if includeSimulated { configuration.track.recorder.includesSimulated = true }
    }
}
