import Glibc
package import LocationModel

/// One access point received where the machine's own position was measured.
package struct AccessPointSighting: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Metres, of the position (68 %).
    package var accuracy: Double
    /// Metres from the position within which the access point probably is.
    package var distance: Double
    /// Days since 1970-01-01, UTC.
    package var day: Int

    package init(_ received: ReceivedAccessPoint, at coordinate: Coordinate, accuracy: Double, day: Int) {
        (self.coordinate, self.accuracy, self.day) = (coordinate, accuracy, day)
        distance = hypot(received.range, accuracy)
    }
}
