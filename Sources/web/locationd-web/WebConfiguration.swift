import Logging
import ServiceKit
import WebService

/// The configuration, from its file.
struct WebConfiguration: FileConfiguration, Equatable {
    static let defaultPath = "/etc/locationd/web.toml"
    static let tables: [ConfigurationTable<Self>] = [
        .init("service", \.service), .init("site", \.site), .init("map", \.map),
    ]

    var service = Service()
    var site = Site()
    var map = Map()

    /// Settings of the program as a system service.
    struct Service: DaemonClientTable, Equatable {
        var logLevel = Logger.Level.info
        var daemon = DaemonSocket.usual
        var history = "/run/locationd-history/history.sock"
        var places = "/run/locationd/places.sock"
        /// Behind it, each connection is a list of the fleet's devices.
        var fleet = "/run/locationd/fleet-devices.sock"
        var nearby = "/run/locationd-nearby/link.sock"
        var idleExit: Double? = 300

        static let settings: [Setting<Self>] = [
            .logLevel, .daemon,
            .init("history", \.history, .path, "The track history's socket."),
            .init("places", \.places, .path, "The places service's socket."),
            .init("fleet", \.fleet, .path, "The socket at which the devices of a fleet are listed."),
            .init("nearby", \.nearby, .path, "The socket at which places are learned by their access points."),
            .init(
                "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"),
                "The time without a connection after which a service that is started on demand exits."),
        ]
    }

    /// Where the pages are.
    struct Site: SettingsTable, Equatable {
        var listen: [LoopbackAddress] = []
        var host: String?

        static let settings: [Setting<Self>] = [
            .init(
                "listen", \.listen, .loopbackAddresses,
                "The addresses to listen at, beside the sockets that systemd passes."),
            .init(
                "host", \.host, Rule.hostName.orAbsent(""),
                "A further host by which the pages may be opened, as of a proxy."),
        ]
    }

    /// Images for the map, of this machine and, unless `nil`, from the network.
    struct Map: SettingsTable, Equatable {
        var folder = "/var/lib/locationd-web/maps"
        var borders = "/usr/share/locationd/map"
        var tiles: String?
        var attribution: String?

        static let settings: [Setting<Self>] = [
            .init("folder", \.folder, .path, "The folder of map images in the form of MBTiles."),
            .init(
                "borders", \.borders, .path,
                "The folder of the coasts, borders and names that the map has without images."),
            .init(
                "tiles", \.tiles, Rule.tiles.orAbsent(""), "Where browsers load map images from, with {z}, {x} and {y}."
            ),
            .init(
                "attribution", \.attribution, Rule.attribution.orAbsent(""), "Whose map it is, which is shown on it."),
        ]
    }
}

extension WebConfiguration {
    func check(_ document: Document) throws(ConfigurationError) {
        guard map.tiles == nil || map.attribution != nil else {
            throw document.error(
                at: KeyAddress().appending("map"), "has tiles without attribution",
                "say whose map it is; its makers ask for that")
        }
    }

    var warnings: [String] {
        UnheldPorts.warning(
            about: site.listen, harm: "pose as the pages", setting: "listen", unit: "locationd-web.socket"
        ).map { [$0] } ?? []
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

extension Rule<String> {
    fileprivate static let hostName = text("a host, with :PORT if it is not the usual one, in quotes") {
        text throws(Refusal) in
        guard text.wholeMatch(of: /[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?/) != nil else {
            throw Refusal("\(text.quoted) is no host")
        }
    }

    fileprivate static let tiles = text("a URL with {z}, {x} and {y} in quotes, as https://HOST/{z}/{x}/{y}.png") {
        text throws(Refusal) in
        guard URLOrigin.of(text) != nil, ["{z}", "{x}", "{y}"].allSatisfy(text.contains) else {
            throw Refusal("\(text.quoted) is no such URL")
        }
    }

    fileprivate static let attribution = text("a text in quotes") { text throws(Refusal) in
        guard text.utf8.count <= 256, text == text.onOneLine else {
            throw Refusal("\(text.quoted) is too long or has control characters")
        }
    }
}
