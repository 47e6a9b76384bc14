import Logging
import ServiceKit
import WebService

/// The configuration, from its file.
///
/// In a value that ``load(path:)`` returns all values are in the ranges of their settings; `WebConfiguration()` has the
/// defaults.
struct WebConfiguration: FileConfiguration, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/web.toml"

    var service = Service()
    var site = Site()
    var map = Map()

    /// The built-in defaults.
    init() {}

    /// Settings of the program as a system service.
    struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        var logLevel = Logger.Level.info
        /// The daemon's socket.
        var daemon = "/run/locationd/locationd.sock"
        /// The track history's socket.
        var history = "/run/locationd-history/history.sock"
        /// The places service's socket.
        var places = "/run/locationd/places.sock"
        /// Behind it, each connection is a list of the fleet's devices.
        var fleet = "/run/locationd/fleet-devices.sock"
        /// The socket at which places are learned by their access points.
        var nearby = "/run/locationd-nearby/link.sock"
        /// Seconds without a connection after which a service that is started on demand ends; `nil` for never.
        var idleExit: Double? = 300

        init() {}
    }

    /// Where the pages are.
    struct Site: Sendable, Equatable {
        /// Where to listen beside the sockets that systemd passes.
        var listen: [LoopbackAddress] = []
        /// A further host by which the pages may be opened, as of a proxy; `nil` for none.
        var host: String?

        init() {}
    }

    /// Images for the map, of this machine and, unless `nil`, from the network.
    struct Map: Sendable, Equatable {
        /// The folder of map images of this machine.
        var folder = "/var/lib/locationd-web/maps"
        /// The folder of the borders and names that are drawn without images.
        var borders = "/usr/share/locationd/map"
        var tiles: String?
        var attribution: String?

        init() {}
    }
}

extension WebConfiguration {
    init(_ document: Document) throws(ConfigurationError) {
        self.init()
        try document.checkTables(["service", "site", "map"], keys: Self.keys)
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("site")?.read(Site.settings, into: &site)
        try table("map")?.read(Map.settings, into: &map)
        if let place = document.entries["map"], map.tiles != nil, map.attribution == nil {
            throw ConfigurationError(
                origin: document.origin, line: place.line, key: "map", problem: "has tiles without attribution",
                remedy: "say whose map it is; its makers ask for that")
        }
    }

    var warnings: [String] {
        UnheldPorts.warning(
            about: site.listen, harm: "pose as the pages", setting: "listen", unit: "locationd-web.socket"
        ).map { [$0] } ?? []
    }

    /// Applies the command line: a flag replaces its key.
    mutating func apply(_ flags: WebFlags) {
        if let level = flags.service.logLevel { service.logLevel = level }
        if let daemon = flags.daemon { service.daemon = daemon }
        if !flags.listen.isEmpty { site.listen = flags.listen }
    }

    /// The settings of the pages.
    var settings: WebSettings {
        var settings = WebSettings()
        settings.daemon = service.daemon
        settings.mapFolder = map.folder
        settings.history = service.history
        settings.places = service.places
        settings.fleet = service.fleet
        settings.nearby = service.nearby
        settings.hosts = site.host.map { [$0] } ?? []
        settings.tiles = map.tiles.flatMap { url in
            map.attribution.map { WebSettings.Tiles(url: url, attribution: $0) }
        }
        return settings
    }
}
