import Delivery
import Fleet
import ServiceKit

// All keys. The default of a key is that of its property; everything else is stated here only.

extension FleetConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged."),
        .init(
            "daemon", \.daemon, .path, defaults: Self(),
            "The daemon's socket."),
    ]
}

extension FleetConfiguration.Broker {
    static let settings: [Setting<Self>] = [
        .init(
            "url", \.addresses, Rule.brokerAddresses.orAbsent(""), defaults: Self(),
            "The broker, or several that are tried in turn."),
        .init(
            "user", \.user, Rule.topicName.orAbsent(""), defaults: Self(),
            "The part of the topics that names who owns the device."),
        .init(
            "device", \.device, Rule.topicName.orAbsent(""), defaults: Self(),
            "The part of the topics that names the device."),
        .init(
            "tracker-id", \.trackerID, Rule.trackerID.orAbsent(""), defaults: Self(),
            "By which maps mark the device."),
        .init(
            "client-id", \.clientID, Rule.clientID.orAbsent(""), defaults: Self(),
            "The name by which the broker knows the client."),
        .init(
            "ca-file", \.tls.authorities, Rule.path.orAbsent(""), defaults: Self(),
            "The authorities whose certificates are believed."),
        .init(
            "certificate-file", \.tls.certificate, Rule.path.orAbsent(""), defaults: Self(),
            "The client's certificate."),
        .init(
            "key-file", \.tls.key, Rule.path.orAbsent(""), defaults: Self(),
            "The key of the client's certificate."),
        .init(
            "keepalive", \.keepalive, .integer(5...65535, "seconds"), defaults: Self(),
            "The time after which a silent connection is tried by a ping."),
        .init(
            "mqtt-5", \.triesVersion5, .boolean, defaults: Self(),
            "Whether MQTT 5 is tried, before 3.1.1."),
        .init(
            "remote-commands", \.acceptsCommands, .boolean, defaults: Self(),
            "Whether commands that others publish for the device are carried out."),
    ]
}

extension FleetConfiguration.Messages {
    static let settings: [Setting<Self>] = [
        .init(
            "own-tracks", \.ownTracks, .boolean, defaults: Self(),
            "Whether locations, transitions and the last will are published as OwnTracks writes them."),
        .init(
            "plain", \.plain, .boolean, defaults: Self(),
            "Whether locations are published as the daemon's interface writes them."),
        .init(
            "home-assistant", \.homeAssistant, .boolean, defaults: Self(),
            "Whether Home Assistant finds the device by its MQTT discovery."),
        .init(
            "home-assistant-prefix", \.homeAssistantPrefix, .topicName, defaults: Self(),
            "The topic under which Home Assistant looks for devices."),
    ]
}

extension ReportPolicy {
    static let settings: [Setting<Self>] = [
        .init(
            "interval", \.interval, .number(0...86400, "seconds"), defaults: Self(),
            "The least time between two published locations."),
        .init(
            "distance", \.distance, .number(0...1_000_000, "metres"), defaults: Self(),
            "How far the position must have moved since the published one."),
        .init(
            "required-accuracy", \.requiredAccuracy, Rule.number(0.1...1_000_000, "metres").orAbsent("off"),
            defaults: Self(),
            "The accuracy that a location must have."),
        .init(
            "heartbeat", \.heartbeat, Rule.number(1...604800, "seconds").orAbsent("off"), defaults: Self(),
            "The time after which a location is published although the device stands."),
        .init(
            "estimate", \.estimates, .boolean, defaults: Self(),
            "Whether estimates are published in place of fixes: still at a standstill. Predictions are not."),
        .init(
            "include-simulated", \.includesSimulated, .boolean, defaults: Self(),
            "Whether locations that software has invented are published."),
        .init(
            "hours", \.hours, .reportHours, defaults: Self(),
            "The hours in which locations are published, by the machine's time zone."),
    ]
}

extension FleetConfiguration.Outbox {
    static let settings: [Setting<Self>] = [
        .init(
            "path", \.path, .path, defaults: Self(),
            "The file of the messages that no broker has yet."),
        .init(
            "size-limit", \.sizeLimit, .integer(1...65536, "mebibytes"), defaults: Self(),
            "The size from which every second one of the oldest locations is deleted."),
        .init(
            "drain-rate", \.drainRate, .number(0.1...10000, "messages a second"), defaults: Self(),
            "The rate at which old messages are published after an outage."),
    ]
}

extension FleetConfiguration {
    /// All keys of the file, in the order of their documentation.
    static let keys: [KeyDocumentation] =
        KeyDocumentation.list(Service.settings, "service") + KeyDocumentation.list(Broker.settings, "broker")
        + KeyDocumentation.list(Messages.settings, "messages") + KeyDocumentation.list(ReportPolicy.settings, "reports")
        + KeyDocumentation.list(Outbox.settings, "outbox") + KeyDocumentation.list(MetricsSettings.settings, "metrics")
        + KeyDocumentation.list(ConfiguredRegion.settings, "regions", isInList: true)
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
