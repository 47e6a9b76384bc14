import Bridge
import Logging
import ServiceKit

/// The bridge's configuration, from its file.
///
/// In a value that ``load(path:)`` returns all values are in the ranges of their settings; `BridgeConfiguration()` has the
/// defaults.
struct BridgeConfiguration: FileConfiguration, Equatable {
    /// The file that is read when none is named.
    static let defaultPath = "/etc/locationd/bridge.toml"

    var service = Service()
    var gpsd = GPSD()
    var geoClue = GeoClue()

    /// The built-in defaults.
    init() {}

    /// Settings of the bridge as a system service.
    struct Service: Sendable, Equatable {
        /// The least severe level that is logged.
        var logLevel = Logger.Level.info
        /// The daemon's socket.
        var daemon = "/run/locationd/locationd.sock"
        /// Seconds without a program after which a service that is started on demand ends; `nil` for never.
        var idleExit: Double? = 60

        init() {}
    }

    /// The listeners for programs that are written for gpsd, and their limits.
    struct GPSD: Sendable, Equatable {
        /// Where to listen beside the sockets that systemd passes.
        var listen: [LoopbackAddress] = []
        /// The Unix socket to create and listen on; `nil` for none.
        var socket: String?
        /// Whether programs are sent estimates in place of fixes.
        var estimates = false
        var limits = GPSDServer.Limits()

        init() {}
    }

    /// Programs that are written for GeoClue.
    struct GeoClue: Sendable, Equatable {
        /// Whether to own `org.freedesktop.GeoClue2` on the system bus.
        var isEnabled = false
        /// Whether programs are sent estimates in place of fixes.
        var estimates = false

        init() {}
    }
}

extension BridgeConfiguration {
    init(_ document: Document) throws(ConfigurationError) {
        self.init()
        try document.checkTables(["service", "gpsd", "geoclue"], keys: Self.keys)
        func table(_ name: String) throws(ConfigurationError) -> TableReader? {
            try TableReader(table: name, of: document, keysElsewhere: Self.keys)
        }
        try table("service")?.read(Service.settings, into: &service)
        try table("gpsd")?.read(GPSD.settings, into: &gpsd)
        try table("geoclue")?.read(GeoClue.settings, into: &geoClue)
    }

    var warnings: [String] {
        UnheldPorts.warning(
            about: gpsd.listen, harm: "give programs false positions", setting: "listen",
            unit: "locationd-bridge.socket"
        ).map { [$0] } ?? []
    }

    /// Applies the command line: a flag replaces its key, and a flag with a listener replaces all listeners of the file.
    mutating func apply(_ flags: BridgeFlags) {
        if let level = flags.service.logLevel { service.logLevel = level }
        if let daemon = flags.daemon { service.daemon = daemon }
        if flags.namesListeners {
            gpsd.listen = flags.gpsd
            gpsd.socket = flags.gpsdSocket
            geoClue.isEnabled = flags.servesGeoClue
        }
    }
}
