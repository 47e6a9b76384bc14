import GPSDSource
@_spi(Programs) package import LocationModel
package import ServiceKit

extension Configuration {
    /// Receivers connected to gpsd.
    package struct GPSD: Sendable, Equatable {
        /// A host name or an address; an IPv6 address has no brackets.
        package var host = "127.0.0.1"
        /// A TCP port, 1...65535.
        package var port = 2947
        /// The one receiver to use, by gpsd's name; `nil` uses all.
        package var device: String?
        /// Seconds without data from gpsd after which the daemon reconnects.
        package var silenceTimeout = 20.0

        package init() {}
    }
}

extension Configuration.GPSD: SourceKind {
    package static let word = "gpsd"
    package static let statesPosition = false
    package static let draft = Self()

    package static let settings: [Setting<Self>] = [
        .init("host", \.host, .host, "The host of gpsd."),
        .init("port", \.port, .integer(1...65535), "The TCP port of gpsd."),
        .init(
            "device", \.device, Rule.device.orAbsent(""),
            "The only receiver to use; without it all receivers of gpsd."),
        .init(
            "silence-timeout", \.silenceTimeout, .number(5...600, "seconds"),
            "The time without data from gpsd after which the connection is opened again."),
    ]

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        GPSDSource(
            name: name, endpoint: GPSDEndpoint(host: host, port: UInt16(clamping: port), device: device),
            silenceTimeout: silenceTimeout, heartbeats: parts.heartbeats)
    }
}
