@_spi(Programs) package import LocationModel
package import ServiceKit
import SimulatedSource
@_spi(Programs) import SystemSupport

extension Configuration {
    /// A position read from a file, and read again when the file changes.
    package struct PositionFile: Sendable, Equatable {
        /// The path of the file; the default is the file that GeoClue reads.
        package var file = "/etc/geolocation"

        package init() {}
    }
}

extension Configuration.PositionFile: SourceKind {
    package static let word = "static-file"
    package static let statesPosition = false
    package static let draft = Self()

    package static let settings: [Setting<Self>] = [
        .init(
            "file", \.file, .path,
            "Latitude, longitude, altitude and accuracy, one a line; a change takes effect at once.")
    ]

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        PositionFileSource(name: name, path: file, clock: parts.clock.now)
    }
}
