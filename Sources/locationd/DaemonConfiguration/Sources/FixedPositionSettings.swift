@_spi(Programs) package import LocationModel
package import ServiceKit
import SimulatedSource

extension Configuration {
    /// A fixed position.
    package struct FixedPosition: Sendable, Equatable {
        /// Degrees north.
        package var latitude: Double
        /// Degrees east.
        package var longitude: Double
        /// Metres above mean sea level.
        package var altitude: Double?
        /// Metres above the WGS 84 ellipsoid.
        package var ellipsoidalAltitude: Double?
        /// The accuracy of the position, metres.
        package var horizontalAccuracy: Double?

        package init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }
}

extension Configuration.FixedPosition: SourceKind {
    package static let word = "static"
    package static let statesPosition = true
    package static let draft = Self(latitude: 0, longitude: 0)

    package static let settings: [Setting<Self>] = [
        .init(
            "latitude", \.latitude, .number(-90...90, "degrees north"), isRequired: true,
            "The position of the machine."),
        .init(
            "longitude", \.longitude, .number(-180...180, "degrees east"), isRequired: true,
            "The position of the machine."),
        .init(
            "altitude", \.altitude, Rule.number(-12000...100_000, "metres").orAbsent(),
            "Its altitude above mean sea level."),
        .init(
            "ellipsoidal-altitude", \.ellipsoidalAltitude, Rule.number(-12000...100_000, "metres").orAbsent(),
            "Its altitude above the WGS 84 ellipsoid."),
        .init(
            "horizontal-accuracy", \.horizontalAccuracy, Rule.number(0...100_000, "metres").orAbsent(),
            "The accuracy of the position."),
    ]

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        coordinate.map { coordinate in
            StaticSource(
                name: name, coordinate: coordinate, altitude: altitude, ellipsoidalAltitude: ellipsoidalAltitude,
                horizontalAccuracy: horizontalAccuracy, clock: parts.clock)
        }
    }

    /// The configured position; a loaded configuration always has one.
    package var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
