@_spi(Programs) import LocationModel

/// A fix so far east of a place by the antimeridian.
func fix(at time: Double, east: Double = 0, accuracy: Double? = 10, speed: Double? = nil) -> Location {
    guard let place = Coordinate(latitude: -16.5, longitude: 179.999) else { preconditionFailure("a valid place") }
    var fix = Location(
        coordinate: place.coordinate(atDistance: east, bearing: 90), monotonicTime: .at(time),
        source: SourceInformation(name: "gpsd"))
    fix.horizontalAccuracy = accuracy
    fix.speed = speed
    fix.timestamp = .at(time)
    return fix
}
