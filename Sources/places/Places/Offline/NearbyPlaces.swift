internal import GRDB
internal import Glibc
@_spi(Programs) internal import LocationModel
import SQLiteRows

/// All places within a distance of a position.
struct NearbyPlaces {
    /// A place and its approximate distance.
    private struct Neighbour {
        let id: Int64
        let coordinate: Coordinate
        let country: String
        /// The distance on a sphere, metres: within 0.6 % of the true distance.
        let estimate: Double
    }

    private let centre: Coordinate
    private let radius: Double
    /// The places within the radius, and some beyond, in the order of the database: by falling population.
    private var neighbours: [Neighbour] = []

    init(
        of centre: Coordinate, radius: Double, without hidden: Int64?, in access: PlacesDatabase.Access
    ) throws {
        self.centre = centre
        self.radius = radius
        let statement = try access.database.cachedStatement(
            sql: """
                SELECT id, south, west, country FROM places
                WHERE south >= ? AND north <= ? AND west >= ? AND east <= ?
                """)
        for box in SearchBox.around(centre, radius: radius) {
            let rows = try Row.fetchCursor(statement, arguments: [box.south, box.north, box.west, box.east])
            while let row = try rows.next() {
                let id = try row.integer(0)
                guard id != hidden else { continue }
                let coordinate = try Coordinate(south: row.integer(1), west: row.integer(2))
                neighbours.append(
                    Neighbour(
                        id: id, coordinate: coordinate, country: try row.text(3),
                        estimate: Self.estimate(from: centre, to: coordinate)))
            }
        }
    }

    /// The nearest place of the given countries, or of all.
    ///
    /// - Returns: Its id and its distance in metres; `nil` if none is within the radius. Of several at the same point,
    ///   the one with the largest population.
    func nearest(of countries: [String]? = nil) -> (id: Int64, country: String, distance: Double)? {
        let candidates = neighbours.filter { countries?.contains($0.country) ?? true }
        guard let least = candidates.lazy.map(\.estimate).min() else { return nil }
        // All places that may be the nearest on the ellipsoid; the geodesic then decides.
        return candidates.lazy.filter { $0.estimate <= least * 1.012 + 1 }
            .map { (id: $0.id, country: $0.country, distance: centre.distance(to: $0.coordinate)) }
            .filter { $0.distance <= radius }
            .min { ($0.distance, $0.id) < ($1.distance, $1.id) }
    }

    /// The haversine formula with the Earth's mean radius.
    private static func estimate(from start: Coordinate, to end: Coordinate) -> Double {
        let radians = Double.pi / 180
        let north = sin((end.latitude - start.latitude) * radians / 2)
        let east = sin((end.longitude - start.longitude) * radians / 2)
        let square = north * north + cos(start.latitude * radians) * cos(end.latitude * radians) * east * east
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}

extension Coordinate {
    /// A position from the database.
    init(south: Int64, west: Int64) throws {
        guard let valid = Self(latitude: Double(south) / SearchBox.scale, longitude: Double(west) / SearchBox.scale)
        else { throw Unusable("is damaged: a place has no position") }
        self = valid
    }
}
