import ArgumentParser
import Delivery
import Fleet
import ServiceKit

/// The command line.
struct FleetFlags: FileServiceFlags {
    static let configuration = CommandConfiguration(
        commandName: "locationd-fleet",
        abstract: "Publishes this machine's location to an MQTT broker, as OwnTracks does, and to servers by HTTP.",
        usage: "locationd-fleet [<options>]",
        discussion: """
            Messages wait in a file on the disk until the broker and the servers have them.

            Exit codes: 0 ended as asked, 1 failed, 2 wrong flags or configuration.
            """)

    /// The daemon's socket; `nil` leaves it to the configuration.
    @Option(help: .init("The daemon's socket, or its control socket.", valueName: "path"), transform: Self.text)
    var daemon: String?

    @Option(
        help: .init(
            "The broker: mqtt://HOST:PORT, or mqtts:// with TLS; several are separated by commas, and tried in turn.",
            valueName: "url"),
        transform: Self.addresses)
    var broker: BrokerAddresses?

    @Option(help: .init("The part of the topics that names the user.", valueName: "name"), transform: Self.name)
    var user: String?

    @Option(help: .init("The part of the topics that names the device.", valueName: "name"), transform: Self.name)
    var device: String?

    /// A password on the command line could be read by every user.
    @Option(
        help: .init(
            "The file with the user name for the broker, and in its second line the password.", valueName: "path"),
        transform: Self.text)
    var passwordFile: String?

    @Option(
        name: .customLong("ca-file"),
        help: .init("The authorities whose certificates are believed, instead of the system's.", valueName: "path"),
        transform: Self.text)
    var authorities: String?

    @Option(help: .init("The file of the messages that wait.", valueName: "path"), transform: Self.text)
    var outbox: String?

    /// The socket of `org.locationd.fleet`; `nil` if systemd passes it, or there is none.
    @Option(
        name: .customLong("control"),
        help: .init("Serve `locctl fleet status` at this socket instead of at systemd's.", valueName: "path"),
        transform: Self.text)
    var controlPath: String?

    @Flag(name: .customLong("include-simulated"), help: "Publish simulated locations too, marked as such.")
    var includesSimulated = false

    @Flag(
        name: .customLong("list-devices"),
        help: "Write what all devices of the broker report to standard output, as JSON, and publish nothing.")
    var listsDevices = false

    @Option(
        help: .init("The topics that --list-devices subscribes to; owntracks/+/+ by default.", valueName: "filter"),
        transform: Self.filter)
    var topic: String?

    @OptionGroup var service: ServiceOptions<FleetConfiguration>

    /// Settings of the file, such as the authorities, belong to the broker in it.
    var needsConfiguration: Bool { !listsDevices || broker == nil }

    func replaceKeys(of configuration: inout FleetConfiguration) {
        if let daemon { configuration.service.daemon = daemon }
        if let broker { configuration.broker.addresses = broker }
        if let user { configuration.broker.user = user }
        if let device { configuration.broker.device = device }
        if let passwordFile { configuration.broker.loginFile = passwordFile }
        if let authorities { configuration.broker.tls.authorities = authorities }
        if let outbox { configuration.outbox.path = outbox }
        if includesSimulated { configuration.reports.includesSimulated = true }
    }

    private static func addresses(_ text: String) throws -> BrokerAddresses {
        guard let addresses = BrokerAddresses(text) else { throw ValidationError("use \(BrokerAddresses.accepted)") }
        return addresses
    }

    private static func filter(_ text: String) throws -> String {
        guard TopicFilter.isValid(text) else { throw ValidationError("use \(TopicFilter.accepted)") }
        return text
    }

    private static func name(_ text: String) throws -> String {
        guard FleetDevice.isName(text) else { throw ValidationError("use \(FleetDevice.accepted)") }
        return text
    }
}
