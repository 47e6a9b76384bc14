import Logging
import ServiceKit
import ServiceServer

/// The places service's configuration, from its file.
///
/// In a value that ``load(path:)`` returns all values are in the ranges of their settings;
/// `PlacesConfiguration()` has the defaults.
struct PlacesConfiguration: Sendable, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/places.toml"

    var service = Service()
    var limits = Limits()
    /// The network service; `nil` uses none.
    var online: Online?

    /// The built-in defaults.
    init() {}

    /// Settings of the places service as a system service.
    struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        var logLevel = Logger.Level.info
        /// The database of places.
        var database = "/usr/share/locationd/places.sqlite"
        /// Seconds without a connection after which a service started by systemd ends; `nil` for never.
        var idleExit: Double? = 60

        init() {}
    }

    typealias Limits = CallLimits

    /// The network service.
    struct Online: Sendable, Equatable {
        /// The interface that the service implements.
        enum Provider: String, Sendable, CaseIterable {
            case nominatim, photon
        }

        var provider: Provider
        /// The URL, `http` or `https`.
        var url: String
        /// How the service's operator can reach the administrator of this machine.
        var contact: String
        /// The most requests a second.
        var rate = 1.0
        /// The time-out of a request, seconds.
        var timeout = 10.0
        /// The file of the answer cache; `nil` for no cache.
        var cache: String? = "/var/cache/locationd-places/answers.sqlite"
        /// Days for which an answer is kept.
        var cacheExpiry = 30.0
        /// The most answers kept.
        var cacheSize = 10_000

        init(provider: Provider, url: String, contact: String) {
            self.provider = provider
            self.url = url
            self.contact = contact
        }
    }
}

extension PlacesConfiguration {
    /// An invalid setting of the service that its key's rule does not detect.
    struct Mistake: Error {
        let key: String
        let remedy: String

        /// - Parameter key: a key of the table `[online]`.
        init(key: String, remedy: String) {
            self.key = key
            self.remedy = remedy
        }
    }

    /// - Parameter check: A further check of the network service.
    /// - Throws: The first error.
    init(_ document: Document, check: (Online) throws(Mistake) -> Void) throws(ConfigurationError) {
        self.init()
        try document.checkTables(["service", "limits", "online"], keys: Self.keys)
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("limits")?.read(Limits.settings, into: &limits)
        guard let reader = try table("online") else { return }
        var online = Online.draft
        try reader.read(Online.settings, into: &online)
        do {
            try check(online)
        } catch {
            throw document.error(at: reader.address.appending(error.key), "will not do", error.remedy)
        }
        self.online = online
    }
}
