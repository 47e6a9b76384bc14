import Logging
import ServiceKit

/// The configuration of locationd-nearby, from its file.
///
/// In a value that ``load(path:)`` returns all values are in the ranges of their settings; `NearbyConfiguration()` has
/// the defaults.
struct NearbyConfiguration: FileConfiguration, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/nearby.toml"

    var service = Service()
    var store = Store()
    var online = GeolocateSettings()
    var metrics = MetricsSettings()

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

    /// What is remembered, and where.
    struct Store: Sendable, Equatable {
        var file = "/var/lib/locationd-nearby/places.sqlite"
        /// Apart from the file of places: without it that one names no access point.
        var key = "/etc/locationd/nearby.key"
        /// Days since an access point was received after which it is forgotten.
        var maximumAge = 365
        /// Of more access points those are forgotten that were received longest ago.
        var maximumCount = 200_000

        init() {}
    }
}

extension NearbyConfiguration {
    init(_ document: Document) throws(ConfigurationError) {
        self.init()
        try document.checkTables(["service", "store", "online", "metrics"], keys: Self.keys)
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("store")?.read(Store.settings, into: &store)
        if let reader = try table("online") {
            try reader.read(GeolocateSettings.settings, into: &online)
            guard online.url == nil || online.contact != nil else {
                throw document.error(
                    at: reader.address.appending("contact"), "is missing",
                    "name an e-mail address or a web page, by which the service's operator can reach you")
            }
        }
        try table("metrics")?.read(MetricsSettings.settings, into: &metrics)
    }

    /// Applies the command line: a flag replaces its key.
    mutating func apply(_ flags: NearbyFlags) {
        if let level = flags.service.logLevel { service.logLevel = level }
        if let daemon = flags.daemon { service.daemon = daemon }
        if let file = flags.store { store.file = file }
        if let key = flags.key { store.key = key }
    }
}

// All keys. The default of a key is that of its property; everything else is stated here only.

extension NearbyConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init("log-level", \.logLevel, .choice, defaults: Self(), "The least severe level that is logged."),
        .init("daemon", \.daemon, .path, defaults: Self(), "The daemon's socket."),
    ]
}

extension NearbyConfiguration.Store {
    static let settings: [Setting<Self>] = [
        .init("file", \.file, .path, defaults: Self(), "The file in which places are remembered."),
        .init("key", \.key, .path, defaults: Self(), "The file of the key under which addresses are remembered."),
        .init(
            "maximum-age", \.maximumAge, .integer(1...3650, "days"), defaults: Self(),
            "The time without receiving an access point after which it is forgotten."),
        .init(
            "maximum-count", \.maximumCount, .integer(100...200_000), defaults: Self(),
            "The number of access points beyond which those received longest ago are forgotten."),
    ]
}

extension NearbyConfiguration {
    /// All keys of the file, in the order of their documentation.
    static let keys: [KeyDocumentation] =
        KeyDocumentation.list(Service.settings, "service") + KeyDocumentation.list(Store.settings, "store")
        + KeyDocumentation.list(GeolocateSettings.settings, "online")
        + KeyDocumentation.list(MetricsSettings.settings, "metrics")
}
