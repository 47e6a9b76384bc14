@_spi(Programs) import LocationModel

extension Location {
    /// A fix that arrives now with the receiver's time of now, so that no two moments' fixes are alike.
    static func fix(at now: BootInstant, device: String? = "/dev/gps0", metresEast: Double = 0) -> Location {
        var location = Location(
            coordinate: Coordinate.start.coordinate(atDistance: metresEast, bearing: 90), mode: .threeDimensional,
            monotonicTime: now, source: SourceInformation(name: "gpsd", device: device))
        location.timestamp = UTCTime(seconds: 1_772_366_400, nanoseconds: now.nanoseconds)
        location.horizontalAccuracy = 5
        return location
    }
}

extension Coordinate {
    static let start: Coordinate = {
        guard let start = Coordinate(latitude: 52.5, longitude: 13.25) else { preconditionFailure("a valid place") }
        return start
    }()
}
