import CompassSource
@_spi(Programs) package import LocationModel
package import ServiceKit

extension Configuration {
    /// The compass of iio-sensor-proxy. It has no keys of its own.
    package struct Compass: Sendable, Equatable {
        package init() {}
    }
}

extension Configuration.Compass: SourceKind {
    package static let word = "compass"
    package static let statesPosition = false
    package static let draft = Self()
    package static let settings: [Setting<Self>] = []

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        CompassSource(name: name, heartbeats: parts.heartbeats)
    }
}
