import Geodesy

/// A point of the unit disk: a displacement to the east and the north, in parts of the largest there is.
///
/// Being without unit, it outlives a change of the grid's size.
package struct DiskPoint: Sendable, Hashable, Codable {
    /// To the east, -1...1.
    package let east: Double
    /// To the north, -1...1.
    package let north: Double

    /// - Returns: `nil` if the point is not in the unit disk.
    package init?(east: Double, north: Double) {
        // The last digits are left to rounding.
        guard east * east + north * north <= 1 + 1e-12 else { return nil }
        self.init(uncheckedEast: east, north: north)
    }

    private init(uncheckedEast east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    /// A point drawn evenly from the disk.
    package static func random(using generator: inout some RandomNumberGenerator) -> DiskPoint {
        // Half of the disk's area lies within √½ of its radius.
        let length = Double.random(in: 0...1, using: &generator).squareRoot()
        let angle = GeodesicAngle(radians: Double.random(in: 0..<(2 * .pi), using: &generator))
        return DiskPoint(uncheckedEast: length * angle.sin, north: length * angle.cos)
    }

    /// The point that divides the straight way to `end` in the given part, 0...1. The disk is convex: it lies within.
    package func between(_ end: DiskPoint, at part: Double) -> DiskPoint {
        DiskPoint(uncheckedEast: east + (end.east - east) * part, north: north + (end.north - north) * part)
    }

    /// The position displaced by this point of a disk of the given radius in metres.
    package func displacing(_ coordinate: Coordinate, radius: Double) -> Coordinate {
        let direction = GeodesicAngle(sin: east, cos: north)
        return coordinate.coordinate(atDistance: direction.length * radius, bearing: direction.degrees)
    }

    private enum CodingKeys: String, CodingKey { case east, north }

    /// Decodes `east` and `north`; a point outside the disk is a decoding error.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let (east, north) = (
            try container.decode(Double.self, forKey: .east), try container.decode(Double.self, forKey: .north)
        )
        guard let valid = Self(east: east, north: north) else {
            throw DecodingError.dataCorruptedError(
                forKey: .east, in: container, debugDescription: "a displacement lies within the unit disk")
        }
        self = valid
    }
}
