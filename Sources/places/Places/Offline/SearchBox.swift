internal import Glibc
@_spi(Programs) internal import LocationModel

/// A rectangle of latitudes and longitudes in the database's unit, a hundred-thousandth of a degree.
struct SearchBox: Sendable, Hashable {
    /// Units per degree.
    static let scale = 100_000.0

    var south: Int
    var north: Int
    var west: Int
    var east: Int

    /// One or two boxes that contain all points within a distance of a position: two if they span 180°, and all
    /// longitudes if a pole is within the distance.
    static func around(_ coordinate: Coordinate, radius: Double) -> [SearchBox] {
        // Slightly less than the smallest radius of curvature of the ellipsoid, so that no box is too small.
        let angle = max(radius, 0) / 6_330_000
        let degrees = angle * 180 / .pi
        let south = coordinate.latitude - degrees
        let north = coordinate.latitude + degrees
        guard south > -90, north < 90 else {
            return [SearchBox(south: max(south, -90), north: min(north, 90), west: -180, east: 180)]
        }
        // The meridians that touch the circle do so nearer to the pole than its centre.
        let width = asin(min(1, sin(angle) / cos(coordinate.latitude * .pi / 180))) * 180 / .pi
        let west = coordinate.longitude - width
        let east = coordinate.longitude + width
        if west < -180 {
            return [
                SearchBox(south: south, north: north, west: -180, east: east),
                SearchBox(south: south, north: north, west: west + 360, east: 180),
            ]
        }
        if east > 180 {
            return [
                SearchBox(south: south, north: north, west: west, east: 180),
                SearchBox(south: south, north: north, west: -180, east: east - 360),
            ]
        }
        return [SearchBox(south: south, north: north, west: west, east: east)]
    }

    private init(south: Double, north: Double, west: Double, east: Double) {
        self.south = Int((south * Self.scale).rounded(.down))
        self.north = Int((north * Self.scale).rounded(.up))
        self.west = Int((west * Self.scale).rounded(.down))
        self.east = Int((east * Self.scale).rounded(.up))
    }
}
