/// A position on the WGS 84 ellipsoid.
///
/// A value of this type is always valid: both numbers are finite, latitude is within ±90° and longitude within ±180°.
public struct Coordinate: Sendable, Hashable, Codable {
    /// Degrees north of the equator, -90...90.
    public let latitude: Double
    /// Degrees east of the prime meridian, -180...180.
    public let longitude: Double

    /// - Returns: `nil` if either number is not finite or is out of range.
    public init?(latitude: Double, longitude: Double) {
        guard (-90.0...90.0).contains(latitude), (-180.0...180.0).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    private enum CodingKeys: String, CodingKey { case latitude, longitude }

    /// Decodes `latitude` and `longitude`; numbers out of range are a decoding error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        guard let valid = Self(latitude: latitude, longitude: longitude) else {
            let key = (-90.0...90.0).contains(latitude) ? CodingKeys.longitude : .latitude
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "latitude is within -90...90 and longitude within -180...180")
        }
        self = valid
    }
}
