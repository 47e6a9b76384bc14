@_spi(Programs) import LocationModel
import Testing

/// Locations to serve.
enum Sample {
    /// A fix with most of what a receiver tells; as text it has the usual length.
    ///
    /// It comes from the future, so that its age is 0 whenever it is sent.
    static func fix(_ number: Int = 1) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 52.5163, longitude: 13 + Double(number % 9000) / 10_000)),
            mode: .threeDimensional, monotonicTime: BootInstant(seconds: 4e9),
            source: SourceInformation(name: "gpsd", device: "/dev/ttyACM0"))
        location.horizontalAccuracy = 2.5
        location.altitude = 34.25
        location.ellipsoidalAltitude = 73.75
        location.verticalAccuracy = 4.5
        location.speed = 5.25
        location.course = 271.5
        location.climb = -0.125
        location.augmentation = .dgps
        location.satellitesUsed = 9
        location.hdop = 0.875
        location.timestamp = UTCTime(seconds: 1_767_225_600 + Int64(number))
        return location
    }
}
