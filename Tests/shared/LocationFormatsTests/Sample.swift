@_spi(Programs) import LocationModel
import Testing

/// Locations to write.
enum Sample {
    /// A location of which nothing is known but where it is.
    static func bare(_ latitude: Double = 0, _ longitude: Double = 0, seconds: Double = 100) throws -> Location {
        Location(
            coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
            monotonicTime: BootInstant(seconds: seconds), source: SourceInformation(name: "gpsd"))
    }

    /// A location of which everything is known.
    static func full(_ latitude: Double = 52.5163, _ longitude: Double = 13.3777) throws -> Location {
        var location = try bare(latitude, longitude)
        location.horizontalAccuracy = 2.5
        location.altitude = 34.2
        location.ellipsoidalAltitude = 73.7
        location.verticalAccuracy = 4.25
        location.speed = 5.25
        location.speedAccuracy = 0.5
        location.course = 271.5
        location.courseAccuracy = 3
        location.climb = -0.125
        location.climbAccuracy = 0.25
        location.magneticVariation = 4.5
        location.mode = .threeDimensional
        location.augmentation = .dgps
        location.satellitesUsed = 9
        location.hdop = 0.9
        location.vdop = 1.3
        location.pdop = 1.6
        location.timestamp = UTCTime("2026-03-01T12:00:00.250Z")
        location.sequence = 4711
        location.source = SourceInformation(name: "gpsd", device: "/dev/ttyACM0")
        return location
    }

    /// A location whose every number is one that no receiver should give.
    static func absurd(_ number: Double) throws -> Location {
        var location = try full(-90, 180)
        location.horizontalAccuracy = number
        location.altitude = number
        location.ellipsoidalAltitude = -number
        location.verticalAccuracy = number
        location.speed = number
        location.speedAccuracy = number
        location.course = number
        location.courseAccuracy = number
        location.climb = number
        location.climbAccuracy = number
        location.magneticVariation = number
        location.satellitesUsed = .min
        location.hdop = number
        location.vdop = number
        location.pdop = number
        location.timestamp = UTCTime(seconds: .max / 2)
        location.monotonicTime = BootInstant(nanoseconds: .max)
        return location
    }

    /// Numbers at and beyond the edges.
    static let absurdNumbers: [Double] = [
        0, -0.0, 1e-7, -1e-20, -1, 359.9999, -0.00001, 1e7, -1e8, 1e300, -1e300, .infinity, -.infinity, .nan,
        .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]

    /// Latitudes and longitudes at the edges.
    static let edges: [(Double, Double)] = [
        (0, 0), (-0.0, -0.0), (90, 180), (-90, -180), (1e-7, -1e-7), (-1e-12, 1e-12), (52.516666666666666, 13.4),
        (89.99999999999999, 179.99999999999997), (-0.99999999999, -9.99999999999), (47.999999999, -122.999999999),
    ]
}
