@_spi(Programs) package import LocationModel
package import ServiceKit
import SimulatedSource

extension Configuration {
    /// A simulated journey.
    package struct Simulator: Sendable, Equatable {
        /// Fixes per second.
        package var rate = 1.0
        /// The latitude of the start, degrees north; the default is a street in Berlin.
        package var latitude = 52.5170
        /// The longitude of the start, degrees east.
        package var longitude = 13.3889
        /// Metres per second; 13.9 is 50 km/h.
        package var speed = 13.9
        /// The seed of the random numbers: the same seed makes the same journey.
        package var seed = 1

        package init() {}
    }
}

extension Configuration.Simulator: SourceKind {
    package static let word = "simulator"
    package static let statesPosition = false
    package static let draft = Self()

    package static let settings: [Setting<Self>] = [
        .init("rate", \.rate, .number(1...20, "Hz"), "Fixes per second."),
        .init("latitude", \.latitude, .number(-90...90, "degrees north"), "The start of the drive."),
        .init("longitude", \.longitude, .number(-180...180, "degrees east"), "The start of the drive."),
        .init("speed", \.speed, .number(0...100, "metres per second"), "The speed of the drive."),
        .init(
            "seed", \.seed, .integer(0...Int.max),
            "The seed of the random numbers; the same seed gives the same drive."),
    ]

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        start.map { start in
            let drive = SimulatedDrive(start: start, speed: speed, seed: UInt64(clamping: seed))
            return SimulatorSource(name: name, drive: drive, rate: rate, clock: parts.clock)
        }
    }

    /// The start of the journey; a loaded configuration always has one.
    package var start: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
