import Bridge
import ServiceKit

// All keys. The default of a key is that of its property; everything else is stated here only.

extension BridgeConfiguration.Service {
    static let settings: [Setting<Self>] = [
        .init(
            "log-level", \.logLevel, .choice, defaults: Self(),
            "The least severe level that is logged."),
        .init(
            "daemon", \.daemon, .path, defaults: Self(),
            "The daemon's socket."),
        .init(
            "idle-exit", \.idleExit, Rule.number(1...86400, "seconds").orAbsent("off"), defaults: Self(),
            "The time without a program after which a service that is started on demand exits."),
    ]
}

extension BridgeConfiguration.GPSD {
    static let settings: [Setting<Self>] = [
        .init(
            "listen", \.listen, .loopbackAddresses, defaults: Self(),
            "The addresses to listen at, beside the sockets that systemd passes."),
        .init(
            "socket", \.socket, Rule.path.orAbsent(""), defaults: Self(),
            "The Unix socket to create and listen on, which every user may connect to."),
        .init(
            "estimate", \.estimates, .boolean, defaults: Self(),
            "Whether programs are sent estimates in place of fixes."),
        .init(
            "clients", \.limits.clients, .integer(1...65536), defaults: Self(),
            "The maximum of simultaneous connections."),
        .init(
            "clients-per-user", \.limits.clientsPerUser, .integer(1...65536), defaults: Self(),
            "The maximum of simultaneous connections of one user."),
        .init(
            "requests-per-second", \.limits.requestsPerSecond, .number(1...10000, "requests a second"),
            defaults: Self(), "The maximum of requests of one user in a second."),
        .init(
            "stalled-timeout", \.limits.stalledTimeout, .number(1...3600, "seconds"), defaults: Self(),
            "The time without reading after which a client with pending reports is disconnected."),
    ]
}

extension BridgeConfiguration.GeoClue {
    static let settings: [Setting<Self>] = [
        .init(
            "enabled", \.isEnabled, .boolean, defaults: Self(),
            "Whether to serve as org.freedesktop.GeoClue2 on the system bus."),
        .init(
            "estimate", \.estimates, .boolean, defaults: Self(),
            "Whether programs are sent estimates in place of fixes."),
    ]
}

extension BridgeConfiguration {
    /// All keys of the file, in the order of their documentation.
    static let keys: [KeyDocumentation] =
        KeyDocumentation.list(Service.settings, "service") + KeyDocumentation.list(GPSD.settings, "gpsd")
        + KeyDocumentation.list(GeoClue.settings, "geoclue")
}
