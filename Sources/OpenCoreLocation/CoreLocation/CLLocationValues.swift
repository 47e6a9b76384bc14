import Foundation

/// What a ``CLLocation`` says.
struct CLLocationValues: Sendable, Codable {
    /// What a ``CLLocationSourceInformation`` says.
    struct Source: Sendable, Codable {
        var isSimulatedBySoftware: Bool
        var isProducedByAccessory: Bool
    }

    var latitude, longitude: Double
    var altitude = 0.0
    var ellipsoidalAltitude = 0.0
    var horizontalAccuracy = 0.0
    var verticalAccuracy = -1.0
    var course = -1.0
    var courseAccuracy = -1.0
    var speed = -1.0
    var speedAccuracy = -1.0
    var timestamp = Date()
    var source: Source?

    init(_ coordinate: CLLocationCoordinate2D) {
        latitude = coordinate.latitude
        longitude = coordinate.longitude
    }

    init(
        _ coordinate: CLLocationCoordinate2D, _ altitude: Double, horizontal: Double, vertical: Double, timestamp: Date
    ) {
        self.init(coordinate)
        self.altitude = altitude
        horizontalAccuracy = horizontal
        verticalAccuracy = vertical
        self.timestamp = timestamp
    }
}
