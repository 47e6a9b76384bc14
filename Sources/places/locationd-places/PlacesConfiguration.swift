import Logging
package import ServiceKit
package import ServiceServer

/// The places service's configuration, from its file.
struct PlacesConfiguration: FileConfiguration, Equatable {
    static let defaultPath = "/etc/locationd/places.toml"
    static let tables: [ConfigurationTable<Self>] = [
        .init("service", \.service), .init("limits", \.limits), .init("online", \.online.orDefaults),
    ]

    var service = Service()
    var limits = Limits()
    /// The network service; `nil` uses none.
    var online: Online?

    /// Settings of the places service as a system service.
    struct Service: ServiceTable, Equatable {
        var logLevel = Logger.Level.info
        var database = "/usr/share/locationd/places.sqlite"
        var idleExit: Double? = 60

        static let settings: [Setting<Self>] = [
            .logLevel,
            .init("database", \.database, .path, "The database of places."),
            .init(
                "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"),
                "The time without a connection after which the service exits; systemd starts it again."),
        ]
    }

    typealias Limits = CallLimits

    /// The network service.
    struct Online: SettingsTable, Equatable {
        /// The interface that the service implements.
        enum Provider: String, Sendable, CaseIterable {
            case nominatim, photon
        }

        // The first three have no default: their keys are required, and replace these values.
        var provider = Provider.nominatim
        var url = ""
        var contact = ""
        var rate = 1.0
        var timeout = 10.0
        var cache: String? = "/var/cache/locationd-places/answers.sqlite"
        var cacheExpiry = 30.0
        var cacheSize = 10_000

        static let settings: [Setting<Self>] = [
            .init("provider", \.provider, .choice, isRequired: true, "The provider's interface."),
            .init("url", \.url, .webAddress, isRequired: true, "The address of the provider."),
            .init(
                "contact", \.contact, .contact, isRequired: true,
                "The administrator's contact for the provider's operator; every request contains it."),
            .init(
                "rate", \.rate, .number(0.001...100, "requests a second"),
                "The maximum rate of requests, which are sent one at a time."),
            .init(
                "timeout", \.timeout, .number(1...300, "seconds"),
                "The time after which a request without an answer is cancelled."),
            .init("cache", \.cache, Rule.path.orAbsent(""), "The file in which answers are cached."),
            .init(
                "cache-expiry", \.cacheExpiry, .number(0...3650, "days"),
                "The time after which a cached answer expires."),
            .init(
                "cache-size", \.cacheSize, .integer(1...10_000_000),
                "The maximum of cached answers; the least recently used one is deleted first."),
        ]
    }
}

extension CallLimits: SettingsTable {
    package static let settings: [Setting<Self>] = [
        .init("clients", \.clients, .integer(1...65536), "The maximum of simultaneous connections."),
        .init(
            "clients-per-user", \.clientsPerUser, .integer(1...65536),
            "The maximum of simultaneous connections of one user."),
        .init(
            "requests-per-second", \.requestsPerSecond, .number(1...10000, "calls a second"),
            "The maximum rate of calls of one user, with a burst of twice that; each KiB counts as a call."),
        .init("calls", \.calls, .integer(1...65536), "The maximum of pending calls."),
        .init("calls-per-user", \.callsPerUser, .integer(1...65536), "The maximum of pending calls of one user."),
        .init(
            "stalled-timeout", \.stalledTimeout, .number(1...3600, "seconds"),
            "The time without reading after which a client with pending data is disconnected."),
        .init(
            "idle-timeout", \.idleTimeout, .number(1...86400, "seconds"),
            "The time without a call after which a client is disconnected."),
    ]
}

extension Rule<String> {
    /// A URL. The code that connects to it checks it further.
    fileprivate static let webAddress = text("an address in quotes that begins with https:// or http://") {
        text throws(Refusal) in
        let lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"), text == text.onOneLine, !text.contains(" ")
        else {
            throw Refusal("\(text.quoted) is no such address")
        }
    }

    fileprivate static let contact = text("an e-mail address or a web page in quotes") { text throws(Refusal) in
        guard text.utf8.count <= 200, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}
