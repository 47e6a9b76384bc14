import ArgumentParser
import CommandLineFlags
import Logging

/// The bridge's command line.
struct BridgeFlags: ServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-bridge",
        abstract: "Serves programs that are written for gpsd with the locations of locationd.",
        usage: "locationd-bridge [<options>]",
        discussion: """
            Listens on the sockets that systemd passes, or at --gpsd, or at --gpsd-socket.

            Exit codes: 0 ended as asked, 1 failed, 2 wrong flags.
            """)

    @Option(help: .init("The daemon's control socket.", valueName: "path"), transform: Self.text)
    var daemon = "/run/locationd/control.sock"

    @Option(
        help: .init("Serve gpsd's protocol at this address of the loopback interface.", valueName: "host:port"),
        transform: Self.address)
    var gpsd: LoopbackAddress?

    @Option(help: .init("Serve gpsd's protocol at this Unix socket.", valueName: "path"), transform: Self.text)
    var gpsdSocket: String?

    @Flag(
        name: .customLong("geoclue"),
        help: "Serve programs that are written for GeoClue, as org.freedesktop.GeoClue2 on the system bus.")
    var servesGeoClue = false

    /// The least severe level that is logged.
    @Option(
        help: .init("Log this level and above: trace, debug, info, …, critical.", valueName: "level"),
        transform: Self.level)
    var logLevel = Logger.Level.info

    @Flag(name: .customLong("version"), help: "Print the version and exit.")
    var showsVersion = false

    private static func address(_ text: String) throws -> LoopbackAddress {
        guard let address = LoopbackAddress(text) else {
            throw ValidationError("use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT: others could not be identified")
        }
        return address
    }
}

/// An address that only programs of this machine reach.
struct LoopbackAddress: Equatable, Sendable {
    let host: String
    let port: Int

    /// - Returns: `nil` if the text is none, or its host is not of the loopback interface.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        switch text[..<colon] {
        case "127.0.0.1", "localhost": host = "127.0.0.1"
        case "[::1]": host = "::1"
        default: return nil
        }
        self.port = Int(port)
    }
}
