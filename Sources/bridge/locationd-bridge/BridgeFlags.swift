import ArgumentParser
import ServiceKit

/// The bridge's command line.
struct BridgeFlags: FileServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-bridge",
        abstract: "Serves programs that are written for gpsd or GeoClue with the locations of locationd.",
        usage: "locationd-bridge [<options>]",
        discussion: """
            Serves on the sockets that systemd passes, and where --gpsd, --gpsd-socket and --geoclue or else the
            configuration say.

            Exit codes: 0 ended as asked or idle, 1 failed, 2 wrong flags or configuration.
            """)

    /// The daemon's socket; `nil` leaves it to the configuration.
    @Option(help: .init("The daemon's socket.", valueName: "path"), transform: Self.text)
    var daemon: String?

    /// Where to serve gpsd's protocol, in place of what the configuration says.
    @Option(
        help: .init(
            "Serve gpsd's protocol at this address of the loopback interface; may be repeated.", valueName: "host:port"),
        transform: Self.address)
    var gpsd: [LoopbackAddress] = []

    @Option(help: .init("Serve gpsd's protocol at this Unix socket.", valueName: "path"), transform: Self.text)
    var gpsdSocket: String?

    @Flag(
        name: .customLong("geoclue"),
        help: "Serve programs that are written for GeoClue, as org.freedesktop.GeoClue2 on the system bus.")
    var servesGeoClue = false

    @OptionGroup var service: ServiceOptions<BridgeConfiguration>

    /// Whether it is said what to serve.
    var namesListeners: Bool { !gpsd.isEmpty || gpsdSocket != nil || servesGeoClue }

    /// A flag with a listener replaces all listeners of the file.
    func replaceKeys(of configuration: inout BridgeConfiguration) {
        if let daemon { configuration.service.daemon = daemon }
        if namesListeners {
            (configuration.gpsd.listen, configuration.gpsd.socket) = (gpsd, gpsdSocket)
            configuration.geoClue.isEnabled = servesGeoClue
        }
    }
}
