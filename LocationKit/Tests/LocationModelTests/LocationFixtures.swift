@_spi(Programs) import LocationModel
import Testing

/// One field given another value.
struct LocationChange: Sendable {
    let field: String
    let apply: @Sendable (inout Location) throws -> Void
}

extension Location {
    /// A location with nothing but what it must have.
    static func bare() throws -> Location {
        Location(
            coordinate: try #require(Coordinate(latitude: 52.5, longitude: 13.25)),
            monotonicTime: BootInstant(seconds: 1000), source: SourceInformation(name: "gpsd"))
    }

    /// A location in which every field has a value of its own.
    static func full() throws -> Location {
        var location = try bare()
        location.coordinate = try #require(Coordinate(latitude: -33.5, longitude: 151.25))
        location.mode = .threeDimensional
        location.augmentation = .rtkFloat
        location.satellitesUsed = 11
        (location.antenna, location.jamming) = (.short, 17)
        location.accuracyBasis = .stated
        location.errorEllipse = ErrorEllipse(
            semiMajorAxis: 4.5, semiMinorAxis: 2.5, orientation: 30, isStandardDeviation: true)
        location.isTimestampImplausible = true
        location.implausibility = .jump
        location.basis = .filtered
        location.timestamp = UTCTime(seconds: 1_772_366_400, nanoseconds: 250_000_000)
        location.sequence = 42
        location.source = SourceInformation(name: "gpsd", device: "/dev/ttyACM0", method: .replayed, isSimulated: true)
        for (index, field) in numbers.enumerated() { location[keyPath: field.path] = 1.5 + Double(index) }
        return location
    }

    /// The optional numbers by their names on the wire.
    static var numbers: [(name: String, path: any WritableKeyPath<Location, Double?> & Sendable)] {
        [
            ("horizontalAccuracy", \.horizontalAccuracy), ("altitude", \.altitude),
            ("ellipsoidalAltitude", \.ellipsoidalAltitude), ("geoidSeparation", \.geoidSeparation),
            ("verticalAccuracy", \.verticalAccuracy),
            ("speed", \.speed), ("speedAccuracy", \.speedAccuracy), ("course", \.course),
            ("courseAccuracy", \.courseAccuracy), ("climb", \.climb), ("climbAccuracy", \.climbAccuracy),
            ("magneticVariation", \.magneticVariation), ("hdop", \.hdop), ("vdop", \.vdop), ("pdop", \.pdop),
        ]
    }

    /// A change of every field but the moment of arrival and the number.
    static var changes: [LocationChange] {
        numbers.map { field in LocationChange(field: field.name) { $0[keyPath: field.path] = nil } } + [
            LocationChange(field: "accuracyBasis") { $0.accuracyBasis = .fromDOP },
            LocationChange(field: "errorEllipse") { $0.errorEllipse?.orientation = 31 },
            LocationChange(field: "timestampImplausible") { $0.isTimestampImplausible = false },
            LocationChange(field: "implausible") { $0.implausibility = .timeRunsBack },
            LocationChange(field: "method") { $0.source.method = .gnss },
            LocationChange(field: "coordinate") {
                $0.coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
            },
            LocationChange(field: "mode") { $0.mode = .twoDimensional },
            LocationChange(field: "augmentation") { $0.augmentation = nil },
            LocationChange(field: "satellitesUsed") { $0.satellitesUsed = 12 },
            LocationChange(field: "timestamp") { $0.timestamp = nil },
            LocationChange(field: "source") { $0.source.device = nil },
        ]
    }
}
