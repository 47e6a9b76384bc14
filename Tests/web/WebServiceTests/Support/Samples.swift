@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

extension Aged<Location> {
    /// A location whose sequence number tells it from others.
    static func sample(_ sequence: Int64, age: Double = 0) -> Self {
        guard let coordinate = Coordinate(latitude: 48.5, longitude: 9.25) else {
            preconditionFailure("both numbers are in range")
        }
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(seconds: 1000), source: SourceInformation(name: "sample")
        )
        location.sequence = sequence
        return Self(location, age: age)
    }
}

extension ServiceStatus {
    /// That of a user who may know the position fully.
    static func allowed(fixAge: Double? = nil) -> Self {
        Self(
            authorization: .authorizedAlways, accuracy: .full, enabled: true, source: SourceStatus(state: .tracking),
            fixAge: fixAge)
    }
}
