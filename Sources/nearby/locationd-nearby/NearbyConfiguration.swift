import ServiceKit

/// The configuration of locationd-nearby, from its file.
struct NearbyConfiguration: FileConfiguration, Equatable {
    static let defaultPath = "/etc/locationd/nearby.toml"
    static let tables: [ConfigurationTable<Self>] = [
        .init("service", \.service), .init("store", \.store), .init("online", \.online), .init("metrics", \.metrics),
    ]

    var service = DaemonClientSettings()
    var store = Store()
    var online = GeolocateSettings()
    var metrics = MetricsSettings()

    /// What is remembered, and where.
    struct Store: SettingsTable, Equatable {
        var file = "/var/lib/locationd-nearby/places.sqlite"
        /// Apart from the file of places: without it that one names no access point.
        var key = "/etc/locationd/nearby.key"
        var maximumAge = 365
        var maximumCount = 200_000

        static let settings: [Setting<Self>] = [
            .init("file", \.file, .path, "The file in which places are remembered."),
            .init("key", \.key, .path, "The file of the key under which addresses are remembered."),
            .init(
                "maximum-age", \.maximumAge, .integer(1...3650, "days"),
                "The time without receiving an access point after which it is forgotten."),
            .init(
                "maximum-count", \.maximumCount, .integer(100...200_000),
                "The number of access points beyond which those received longest ago are forgotten."),
        ]
    }

    func check(_ document: Document) throws(ConfigurationError) {
        guard online.url == nil || online.contact != nil else {
            throw document.error(
                at: KeyAddress().appending("online").appending("contact"), "is missing",
                "name an e-mail address or a web page, by which the service's operator can reach you")
        }
    }
}
