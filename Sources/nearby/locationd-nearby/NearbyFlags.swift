import ArgumentParser
import ServiceKit

/// The command line of locationd-nearby.
struct NearbyFlags: FileServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-nearby",
        abstract: "Knows places by the access points received there, and tells the daemon where the machine is.",
        usage: "locationd-nearby [<options>]",
        discussion: "Exit codes: 0 ended as asked, 1 failed, 2 wrong flags or configuration.")

    /// Where access points come from; `nil` for the machine's radios.
    @Option(
        help: .init(
            "Take what is received from this file or FIFO of JSON lines in place of the radios.", valueName: "path"),
        transform: Self.text)
    var observations: String?

    /// The socket of `org.locationd.provider`; `nil` if systemd passes it.
    @Option(
        name: .customLong("socket"),
        help: .init(
            "Tell positions at this socket, which a source of kind provider names, instead of at systemd's.",
            valueName: "path"),
        transform: Self.text)
    var socketPath: String?

    /// The socket of `org.locationd.nearby`; `nil` if systemd passes it, or there is none.
    @Option(
        name: .customLong("control"),
        help: .init("Serve `locctl nearby` at this socket instead of at systemd's.", valueName: "path"),
        transform: Self.text)
    var controlPath: String?

    /// The daemon's socket; `nil` leaves it to the configuration.
    @Option(help: .init("The daemon's socket, to learn by its locations.", valueName: "path"), transform: Self.text)
    var daemon: String?

    /// The file of places; `nil` leaves it to the configuration.
    @Option(help: .init("Remember places in this file.", valueName: "path"), transform: Self.text)
    var store: String?

    /// The file of the key; `nil` leaves it to the configuration.
    @Option(
        help: .init("The key under which addresses are remembered; it is made if it is missing.", valueName: "path"),
        transform: Self.text)
    var key: String?

    @OptionGroup var service: ServiceOptions<NearbyConfiguration>

    func replaceKeys(of configuration: inout NearbyConfiguration) {
        if let daemon { configuration.service.daemon = daemon }
        if let store { configuration.store.file = store }
        if let key { configuration.store.key = key }
    }
}
