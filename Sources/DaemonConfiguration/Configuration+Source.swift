package import LocationModel

extension Configuration {
    /// One of the places locations come from.
    package struct Source: Sendable, Equatable {
        /// What locations of this source are marked with: 1 to 32 of `a` to `z`, `0` to `9` and `-`.
        package var name: String
        /// What it is, with the settings that only this kind has.
        package var kind: Kind

        /// - Parameter name: The word for the kind where `nil`.
        package init(_ kind: Kind, name: String? = nil) {
            self.kind = kind
            self.name = name ?? kind.word.rawValue
        }

        package enum Kind: Sendable, Equatable {
            case gpsd(GPSD)
            case simulator(Simulator)
            case replay(Replay)
            case fixed(FixedPosition)
            case file(PositionFile)
        }
    }

    /// Receivers that gpsd reads.
    package struct GPSD: Sendable, Equatable {
        /// A host name or an address; an IPv6 address has no brackets.
        package var host = "127.0.0.1"
        /// A TCP port, 1...65535.
        package var port = 2947
        /// The one receiver to listen to, as gpsd calls it; `nil` listens to all.
        package var device: String?
        /// Seconds without a word from gpsd after which the connection is given up and opened anew.
        package var silenceTimeout = 20.0

        package init() {}
    }

    /// An invented journey.
    package struct Simulator: Sendable, Equatable {
        /// Fixes per second.
        package var rate = 1.0
        /// Degrees north where the journey begins: a street in Berlin.
        package var latitude = 52.5170
        /// Degrees east where the journey begins.
        package var longitude = 13.3889
        /// Metres per second; 13.9 is 50 km/h.
        package var speed = 13.9
        /// What chance starts from: the same seed makes the same journey.
        package var seed = 1

        package init() {}
    }

    /// A recording played again.
    package struct Replay: Sendable, Equatable {
        /// The path of the recording.
        package var file: String
        /// How many seconds of the recording pass in one second.
        package var speed = 1.0
        /// Whether it begins again at its end.
        package var loop = false

        package init(file: String) { self.file = file }
    }

    /// A position that stands in a file and changes with it.
    package struct PositionFile: Sendable, Equatable {
        /// The path of the file: the one that GeoClue reads.
        package var file = "/etc/geolocation"

        package init() {}
    }

    /// A machine that stays where it is.
    package struct FixedPosition: Sendable, Equatable {
        /// Degrees north.
        package var latitude: Double
        /// Degrees east.
        package var longitude: Double
        /// Metres above mean sea level.
        package var altitude: Double?
        /// Metres above the WGS 84 ellipsoid.
        package var ellipsoidalAltitude: Double?
        /// Metres; how far off the position may be.
        package var horizontalAccuracy: Double?

        package init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }
}

extension Configuration.Simulator {
    /// Where the journey begins; a loaded configuration always has one.
    package var start: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}

extension Configuration.FixedPosition {
    /// Where the machine is; a loaded configuration always has one.
    package var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
