import Glibc

/// A grid over the whole Earth that hides where in its cell a position is.
///
/// Rows follow parallels and are equally high. Each row is divided into as many equal columns as possible such that
/// none is narrower than the size at the middle of the row. So the columns close at the antimeridian, and a pole is the
/// middle of one round cell whose diameter is the size. Every other cell is at least as high and as wide as the size,
/// and little more.
@_spi(Programs) public struct AccuracyGrid: Sendable, Hashable {
    /// The requested edge length of a cell, metres, 100...1,000,000.
    @_spi(Programs) public let size: Double
    /// The height of a row, degrees of latitude. The rows' middles are multiples of it, up to the poles.
    let height: Double

    /// A grid of the given size in metres; a size out of range is clamped, and NaN gives the default.
    @_spi(Programs) public init(size: Double = 2000) {
        self.size = size.isNaN ? 2000 : max(100, min(1_000_000, size))
        // A degree of latitude is shortest at the equator, where the meridian's radius of curvature is b² / a.
        let radius = WGS84.b * (1 - WGS84.f)
        height = 90 / (90 * radius * .pi / 180 / self.size).rounded(.down)
    }

    /// The middle of the cell that contains a position, identical to the last bit for all positions in the cell.
    @_spi(Programs) public func snap(_ coordinate: Coordinate) -> Coordinate {
        let row = (coordinate.latitude / height).rounded()
        let count = columns(inRow: row)
        let column = ((coordinate.longitude + 180) / 360 * count).rounded(.down)
        // 180° is -180°, the west edge of the first column.
        let middle = (column < count ? column : 0) + 0.5
        return Coordinate(
            clampedLatitude: Self.rounded(row * height), longitude: Self.rounded(middle / count * 360 - 180))
    }

    /// An upper bound, metres, of the distance from a cell's middle, which is given, to any position in the cell; at
    /// most 1 % too large.
    ///
    /// Computed by the haversine formula on the sphere of radius a² / b. The ellipsoid's radii of curvature are nowhere
    /// greater, so no path on it is longer than the one with the same latitudes and longitudes on the sphere.
    @_spi(Programs) public func reach(from middle: Coordinate) -> Double {
        let row = (middle.latitude / height).rounded().magnitude
        // The corners on the side of the equator, where meridians are farthest apart, are the farthest.
        let cosines = GeodesicAngle(degrees: row * height).cos * GeodesicAngle(degrees: (row - 0.5) * height).cos
        let north = GeodesicAngle(degrees: height / 4).sin
        let east = GeodesicAngle(degrees: 90 / columns(inRow: row)).sin
        let angle = 2 * asin(min(1, (north * north + cosines * east * east).squareRoot()))
        let radius = WGS84.a / (1 - WGS84.f)
        // A metre for the rounding of the middle.
        return radius * angle + 1
    }

    /// How many columns a row has.
    private func columns(inRow row: Double) -> Double {
        // Meridians are a little farther apart on the ellipsoid than on a sphere of the equator's radius.
        let degree = WGS84.a * .pi / 180 * GeodesicAngle(degrees: row * height).cos
        return max(1, (360 * degree / size).rounded(.down))
    }

    /// Degrees rounded to about a decimetre, so that a middle is the same however it was computed.
    private static func rounded(_ degrees: Double) -> Double {
        // Adding 0 turns -0, which would reveal the side of the equator, into 0.
        (degrees * 1e6).rounded() / 1e6 + 0
    }
}

extension Coordinate {
    /// The valid position nearest to the given finite numbers.
    fileprivate init(clampedLatitude latitude: Double, longitude: Double) {
        self.latitude = max(-90, min(90, latitude))
        self.longitude = max(-180, min(180, longitude))
    }
}

/// A point of the unit disk: a displacement to the east and the north, as fractions of the largest one.
///
/// Being dimensionless, it stays valid when the grid's size changes.
@_spi(Programs) public struct DiskPoint: Sendable, Hashable, Codable {
    /// To the east, -1...1.
    @_spi(Programs) public let east: Double
    /// To the north, -1...1.
    @_spi(Programs) public let north: Double

    /// - Returns: `nil` if the point is not in the unit disk.
    @_spi(Programs) public init?(east: Double, north: Double) {
        // Tolerates rounding errors.
        guard east * east + north * north <= 1 + 1e-12 else { return nil }
        self.init(uncheckedEast: east, north: north)
    }

    private init(uncheckedEast east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    /// No displacement.
    @_spi(Programs) public static let centre = DiskPoint(uncheckedEast: 0, north: 0)

    /// A uniformly distributed random point of the disk.
    @_spi(Programs) public static func random(using generator: inout some RandomNumberGenerator) -> DiskPoint {
        // Half of the disk's area lies within √½ of its radius.
        let length = Double.random(in: 0...1, using: &generator).squareRoot()
        let angle = GeodesicAngle(radians: Double.random(in: 0..<(2 * .pi), using: &generator))
        return DiskPoint(uncheckedEast: length * angle.sin, north: length * angle.cos)
    }

    /// The point at the given fraction, 0...1, of the straight line to `end`. It is in the disk, which is convex.
    @_spi(Programs) public func between(_ end: DiskPoint, at part: Double) -> DiskPoint {
        DiskPoint(uncheckedEast: east + (end.east - east) * part, north: north + (end.north - north) * part)
    }

    /// The position displaced by this point of a disk of the given radius in metres.
    @_spi(Programs) public func displacing(_ coordinate: Coordinate, radius: Double) -> Coordinate {
        guard self != .centre else { return coordinate }
        let direction = GeodesicAngle(sin: east, cos: north)
        return coordinate.coordinate(atDistance: direction.length * radius, bearing: direction.degrees)
    }

    private enum CodingKeys: String, CodingKey { case east, north }

    /// Decodes `east` and `north`; a point outside the disk is a decoding error.
    @_spi(Programs) public init(from decoder: any Decoder) throws {
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
