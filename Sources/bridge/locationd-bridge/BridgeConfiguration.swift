import Bridge
import Logging
import ServiceKit

/// The bridge's configuration, from its file.
struct BridgeConfiguration: FileConfiguration, Equatable {
    static let defaultPath = "/etc/locationd/bridge.toml"
    static let tables: [ConfigurationTable<Self>] = [
        .init("service", \.service), .init("gpsd", \.gpsd), .init("geoclue", \.geoClue),
    ]

    var service = Service()
    var gpsd = GPSD()
    var geoClue = GeoClue()

    /// Settings of the bridge as a system service.
    struct Service: DaemonClientTable, Equatable {
        var logLevel = Logger.Level.info
        var daemon = DaemonSocket.usual
        var idleExit: Double? = 60

        static let settings: [Setting<Self>] = [
            .logLevel, .daemon,
            .init(
                "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"),
                "The time without a program after which a service that is started on demand exits."),
        ]
    }

    /// The listeners for programs that are written for gpsd, and their limits.
    struct GPSD: SettingsTable, Equatable {
        var listen: [LoopbackAddress] = []
        var socket: String?
        var estimates = false
        var limits = GPSDServer.Limits()

        static let settings: [Setting<Self>] = [
            .init(
                "listen", \.listen, .loopbackAddresses,
                "The addresses to listen at, beside the sockets that systemd passes."),
            .init(
                "socket", \.socket, Rule.path.orAbsent(""),
                "The Unix socket to create and listen on, which every user may connect to."),
            .init("estimate", \.estimates, .boolean, "Whether programs are sent estimates in place of fixes."),
            .init("clients", \.limits.clients, .integer(1...65536), "The maximum of simultaneous connections."),
            .init(
                "clients-per-user", \.limits.clientsPerUser, .integer(1...65536),
                "The maximum of simultaneous connections of one user."),
            .init(
                "requests-per-second", \.limits.requestsPerSecond, .number(1...10000, "requests a second"),
                "The maximum of requests of one user in a second."),
            .init(
                "stalled-timeout", \.limits.stalledTimeout, .number(1...3600, "seconds"),
                "The time without reading after which a client with pending reports is disconnected."),
        ]
    }

    /// Programs that are written for GeoClue.
    struct GeoClue: SettingsTable, Equatable {
        var isEnabled = false
        var estimates = false

        static let settings: [Setting<Self>] = [
            .init("enabled", \.isEnabled, .boolean, "Whether to serve as org.freedesktop.GeoClue2 on the system bus."),
            .init("estimate", \.estimates, .boolean, "Whether programs are sent estimates in place of fixes."),
        ]
    }

    var warnings: [String] {
        UnheldPorts.warning(
            about: gpsd.listen, harm: "give programs false positions", setting: "listen",
            unit: "locationd-bridge.socket"
        ).map { [$0] } ?? []
    }
}
