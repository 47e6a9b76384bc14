import Delivery
import Fleet
@_spi(Programs) import LocationModel
import Logging
import ServiceKit

/// The configuration of the program, from its file.
///
/// In a value that ``load(path:)`` returns all values are in the ranges of their settings; `FleetConfiguration()` has
/// the defaults, with which nothing is published.
struct FleetConfiguration: FileConfiguration, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/fleet.toml"

    var service = Service()
    var broker = Broker()
    var messages = Messages()
    var reports = ReportPolicy()
    var outbox = Outbox()
    var metrics = MetricsSettings()
    var regions: [Region] = []

    /// The built-in defaults.
    init() {}

    /// Settings of the program as a system service.
    struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        var logLevel = Logger.Level.info
        /// The daemon's socket.
        var daemon = "/run/locationd/locationd.sock"

        init() {}
    }

    /// Where messages are published, and by whom.
    struct Broker: Sendable, Equatable {
        /// `nil` for none: then the program does not start.
        var addresses: BrokerAddresses?
        var user: String?
        var device: String?
        /// `nil` for the last two characters of the device's name.
        var trackerID: String?
        /// `nil` for a name made of user and device.
        var clientID: String?
        var tls = TLSFiles()
        /// Seconds.
        var keepalive = 60
        /// Whether MQTT 5 is tried, before 3.1.1.
        var triesVersion5 = false
        /// Whether commands that others publish for the device are carried out.
        var acceptsCommands = false
        /// The file with user name and password; `nil` for that of systemd's credentials, if there is one.
        var loginFile: String?

        init() {}
    }

    /// Which forms of messages are published.
    struct Messages: Sendable, Equatable {
        var ownTracks = true
        var plain = false
        var homeAssistant = false
        var homeAssistantPrefix = "homeassistant"

        init() {}

        var forms: FleetForms {
            var forms = FleetForms()
            forms.ownTracks = ownTracks
            forms.plain = plain
            forms.homeAssistantPrefix = homeAssistant ? homeAssistantPrefix : nil
            return forms
        }
    }

    /// Messages that no broker has yet.
    struct Outbox: Sendable, Equatable {
        var path = "/var/lib/locationd-fleet/outbox.sqlite"
        /// Mebibytes.
        var sizeLimit = 64
        /// Old messages a second.
        var drainRate = 20.0

        init() {}
    }
}

extension FleetConfiguration {
    init(_ document: Document) throws(ConfigurationError) {
        self.init()
        try document.checkTables(
            ["service", "broker", "messages", "reports", "outbox", "metrics", "regions"], keys: Self.keys)
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("broker")?.read(Broker.settings, into: &broker)
        try table("messages")?.read(Messages.settings, into: &messages)
        try table("reports")?.read(ReportPolicy.settings, into: &reports)
        try table("outbox")?.read(Outbox.settings, into: &outbox)
        try table("metrics")?.read(MetricsSettings.settings, into: &metrics)
        regions = try ConfiguredRegion.regions(of: document, keysElsewhere: Self.keys)
        if let place = document.entries["broker"], (broker.tls.certificate == nil) != (broker.tls.key == nil) {
            throw ConfigurationError(
                origin: document.origin, line: place.line, key: "broker",
                problem: "has one of certificate-file and key-file", remedy: "give both or none")
        }
    }

    /// Applies the command line: a flag replaces its key.
    mutating func apply(_ flags: FleetFlags) {
        if let level = flags.service.logLevel { service.logLevel = level }
        if let daemon = flags.daemon { service.daemon = daemon }
        if let addresses = flags.broker { broker.addresses = addresses }
        if let user = flags.user { broker.user = user }
        if let device = flags.device { broker.device = device }
        if let path = flags.passwordFile { broker.loginFile = path }
        if let path = flags.authorities { broker.tls.authorities = path }
        if let path = flags.outbox { outbox.path = path }
        if flags.includesSimulated { reports.includesSimulated = true }
    }
}
