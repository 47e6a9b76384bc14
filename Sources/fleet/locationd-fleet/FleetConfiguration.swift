import Delivery
package import Fleet
@_spi(Programs) import LocationModel
package import ServiceKit

/// The configuration of the program, from its file. With the defaults nothing is published.
struct FleetConfiguration: FileConfiguration, Equatable {
    static let defaultPath = "/etc/locationd/fleet.toml"
    static let tables: [ConfigurationTable<Self>] = [
        .init("service", \.service), .init("broker", \.broker), .init("messages", \.messages),
        .init("reports", \.reports), .init("outbox", \.outbox), .init("metrics", \.metrics),
        .init(list: "regions", of: ConfiguredRegion.self) {
            document, keys, configuration throws(ConfigurationError) in
            configuration.regions = try ConfiguredRegion.regions(of: document, keysElsewhere: keys)
        },
        .init(list: "destinations", of: DestinationSettings.self) {
            document, keys, configuration throws(ConfigurationError) in
            configuration.destinations = try DestinationSettings.destinations(of: document, keysElsewhere: keys)
        },
    ]

    var service = DaemonClientSettings()
    var broker = Broker()
    var messages = Messages()
    var reports = ReportPolicy()
    var outbox = Outbox()
    var metrics = MetricsSettings()
    var regions: [Region] = []
    var destinations: [DestinationSettings] = []

    /// Where messages are published, and by whom.
    struct Broker: SettingsTable, Equatable {
        /// `nil` for none: without a destination the program does not start then.
        var addresses: BrokerAddresses?
        var user: String?
        var device: String?
        /// `nil` for the last two characters of the device's name.
        var trackerID: String?
        /// `nil` for a name made of user and device.
        var clientID: String?
        var tls = TLSFiles()
        var keepalive = 60
        var triesVersion5 = false
        var acceptsCommands = false
        /// The file with user name and password; `nil` for that of systemd's credentials, if there is one.
        var loginFile: String?

        static let settings: [Setting<Self>] = [
            .init(
                "url", \.addresses, Rule.brokerAddresses.orAbsent(""),
                "The broker, or several that are tried in turn."),
            .init(
                "user", \.user, Rule.topicName.orAbsent(""), "The part of the topics that names who owns the device."),
            .init("device", \.device, Rule.topicName.orAbsent(""), "The part of the topics that names the device."),
            .init("tracker-id", \.trackerID, Rule.trackerID.orAbsent(""), "By which maps mark the device."),
            .init(
                "client-id", \.clientID, Rule.clientID.orAbsent(""), "The name by which the broker knows the client."),
            .init(
                "ca-file", \.tls.authorities, Rule.path.orAbsent(""),
                "The authorities whose certificates are believed."),
            .init("certificate-file", \.tls.certificate, Rule.path.orAbsent(""), "The client's certificate."),
            .init("key-file", \.tls.key, Rule.path.orAbsent(""), "The key of the client's certificate."),
            .init(
                "keepalive", \.keepalive, .integer(5...65535, "seconds"),
                "The time after which a silent connection is tried by a ping."),
            .init("mqtt-5", \.triesVersion5, .boolean, "Whether MQTT 5 is tried, before 3.1.1."),
            .init(
                "remote-commands", \.acceptsCommands, .boolean,
                "Whether commands that others publish for the device are carried out."),
        ]
    }

    /// Which forms of messages are published.
    struct Messages: SettingsTable, Equatable {
        var ownTracks = true
        var plain = false
        var homeAssistant = false
        var homeAssistantPrefix = "homeassistant"

        static let settings: [Setting<Self>] = [
            .init(
                "own-tracks", \.ownTracks, .boolean,
                "Whether locations, transitions and the last will are published as OwnTracks writes them."),
            .init("plain", \.plain, .boolean, "Whether locations are published as the daemon's interface writes them."),
            .init(
                "home-assistant", \.homeAssistant, .boolean,
                "Whether Home Assistant finds the device by its MQTT discovery."),
            .init(
                "home-assistant-prefix", \.homeAssistantPrefix, .topicName,
                "The topic under which Home Assistant looks for devices."),
        ]

        var forms: FleetForms {
            var forms = FleetForms()
            forms.ownTracks = ownTracks
            forms.plain = plain
            forms.homeAssistantPrefix = homeAssistant ? homeAssistantPrefix : nil
            return forms
        }
    }

    /// Messages that the broker or a destination does not have yet.
    struct Outbox: SettingsTable, Equatable {
        var path = "/var/lib/locationd-fleet/outbox.sqlite"
        var sizeLimit = 64
        var drainRate = 20.0

        static let settings: [Setting<Self>] = [
            .init("path", \.path, .path, "The file of the messages that wait."),
            .init(
                "size-limit", \.sizeLimit, .integer(1...65536, "mebibytes"),
                "The size from which every second one of the oldest locations is deleted."),
            .init(
                "drain-rate", \.drainRate, .number(0.1...10000, "messages a second"),
                "The rate at which old messages are published after an outage."),
        ]
    }

    func check(_ document: Document) throws(ConfigurationError) {
        guard (broker.tls.certificate == nil) == (broker.tls.key == nil) else {
            throw document.error(
                at: KeyAddress().appending("broker"), "has one of certificate-file and key-file", "give both or none")
        }
    }

    var warnings: [String] {
        destinations.filter { $0.address?.isConfidential == false }.map {
            "reports for \($0.name) are sent in the clear: whoever is between can read and change them, and read the token"
        }
    }

    /// What is published to whom.
    var forms: FleetForms {
        var forms = messages.forms
        if broker.addresses == nil { (forms, forms.ownTracks) = (FleetForms(), false) }
        forms.isForDestinations = !destinations.isEmpty
        return forms
    }
}

extension ReportPolicy: SettingsTable {
    package static let settings: [Setting<Self>] = [
        .init("interval", \.interval, .number(0...86400, "seconds"), "The least time between two published locations."),
        .init(
            "distance", \.distance, .number(0...1_000_000, "metres"),
            "How far the position must have moved since the published one."),
        .init(
            "required-accuracy", \.requiredAccuracy, Rule.number(0.1...1_000_000, "metres").orAbsent("off"),
            "The accuracy that a location must have."),
        .init(
            "heartbeat", \.heartbeat, Rule.number(1...604800, "seconds").orAbsent("off"),
            "The time after which a location is published although the device stands."),
        .init(
            "estimate", \.estimates, .boolean,
            "Whether estimates are published in place of fixes: still at a standstill. Predictions are not."),
        .init(
            "include-simulated", \.includesSimulated, .boolean,
            "Whether locations that software has invented are published."),
        .init(
            "hours", \.hours, .reportHours, "The hours in which locations are published, by the machine's time zone."),
    ]
}

extension Rule<BrokerAddresses> {
    fileprivate static let brokerAddresses = Rule(accepts: "\(BrokerAddresses.accepted), in quotes") {
        node throws(Refusal) in
        guard case .text(let text) = node else { throw Refusal(node, isNot: "text") }
        guard let addresses = BrokerAddresses(text) else {
            throw Refusal("is no address of a broker")
        }
        return addresses
    } written: {
        $0.description.quoted
    }
}

extension Rule<ReportHours> {
    fileprivate static let reportHours = Rule(
        accepts: "a list of \(ReportHours.Interval.accepted); or [] for all hours"
    ) { node throws(Refusal) in
        guard case .list(let entries) = node else { throw Refusal(node, isNot: "a list") }
        var hours = ReportHours()
        for entry in entries {
            guard case .text(let text) = entry.node else { throw Refusal("has \(entry.node.typeName), not text") }
            guard let interval = ReportHours.Interval(text) else {
                throw Refusal("\(text.quoted) is no interval of hours")
            }
            hours.intervals.append(interval)
        }
        return hours
    } written: {
        "[\($0.intervals.map(\.description.quoted).joined(separator: ", "))]"
    }
}

extension Rule<String> {
    fileprivate static let topicName = text("\(FleetDevice.accepted), in quotes") { text throws(Refusal) in
        guard FleetDevice.isName(text) else { throw Refusal("\(text.quoted) is no such name") }
    }

    fileprivate static let trackerID = text("one or two printable characters of ASCII in quotes") {
        text throws(Refusal) in
        guard FleetDevice.isTrackerID(text) else { throw Refusal("\(text.quoted) is something else") }
    }

    fileprivate static let clientID = text("a name of at most 128 bytes in quotes") { text throws(Refusal) in
        guard text.utf8.count <= 128, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}
