import Logging
import StrictTOML

/// How the places service behaves: what its configuration file says.
///
/// A value that ``load(path:check:)`` returns keeps every range that its settings state; `PlacesConfiguration()` is what
/// the service does without a file.
struct PlacesConfiguration: Sendable, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/places.toml"

    var service = Service()
    var limits = Limits()
    /// `nil` asks nobody on the network.
    var online: Online?

    /// The built-in defaults.
    init() {}

    /// The places service as a service of the system.
    struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        var logLevel = Logger.Level.info
        /// The file that places are looked up in.
        var database = "/usr/share/locationd/places.sqlite"
        /// Seconds without a connection after which a service that systemd started ends; `nil` never.
        var idleExit: Double? = 60

        init() {}
    }

    /// What clients may take up together.
    struct Limits: Sendable, Equatable {
        /// The most connections at a time.
        var clients = 256
        /// The most connections of one user at a time.
        var clientsPerUser = 64
        /// Units a second that the calls of one user may cost: one for each KiB begun of a request.
        var requestsPerSecond = 50.0
        /// The most calls that wait for their answers at a time.
        var calls = 64
        /// The most calls of one user that wait for their answers at a time.
        var callsPerUser = 16
        /// Seconds after which a client that takes nothing of what is sent to it is let go.
        var stalledTimeout = 30.0
        /// Seconds after which a client that asks nothing is let go.
        var idleTimeout = 300.0

        init() {}
    }

    /// Whom to ask on the network.
    struct Online: Sendable, Equatable {
        /// Whose interface the provider speaks.
        enum Provider: String, Sendable, CaseIterable {
            case nominatim, photon
        }

        var provider: Provider
        /// Where it is, `http` or `https`.
        var url: String
        /// How its operator can reach the administrator of this machine.
        var contact: String
        /// Requests a second at most.
        var rate = 1.0
        /// Seconds until a request is given up.
        var timeout = 10.0
        /// The file answers are kept in; `nil` keeps none.
        var cache: String? = "/var/cache/locationd-places/answers.sqlite"
        /// Days for which an answer is kept.
        var cacheExpiry = 30.0
        /// How many answers are kept.
        var cacheSize = 10_000

        init(provider: Provider, url: String, contact: String) {
            self.provider = provider
            self.url = url
            self.contact = contact
        }
    }
}

extension PlacesConfiguration {
    /// Something about the provider that is more than one key's form.
    struct Mistake: Error {
        let key: String
        let remedy: String

        /// - Parameter key: of the table `[online]`.
        init(key: String, remedy: String) {
            self.key = key
            self.remedy = remedy
        }
    }

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - path: The file somebody named, which must exist; `nil` for ``defaultPath``, which need not.
    ///   - check: What else may be wrong with a provider.
    /// - Throws: The first mistake.
    static func load(
        path: String?, check: (Online) throws(Mistake) -> Void
    ) throws(ConfigurationError) -> PlacesConfiguration {
        guard let text = try TextFile.text(at: path ?? defaultPath) else {
            guard let path else { return PlacesConfiguration() }
            throw ConfigurationError(origin: path, problem: "does not exist", remedy: "check the path after --config")
        }
        return try PlacesConfiguration(Document(text, origin: path ?? defaultPath), check: check)
    }

    init(_ document: Document, check: (Online) throws(Mistake) -> Void) throws(ConfigurationError) {
        self.init()
        try TableReader(
            document: document, address: KeyAddress(), entries: document.entries, keysElsewhere: Self.keys
        ).refuseUnknownKeys(known: ["service", "limits", "online"])
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
