import Geodesy
import LocationModel

/// Some fixes close to each other, of which only their middle and their extent are kept.
struct FixCluster: Sendable, Hashable {
    /// The mean of all.
    private(set) var middle: SurfacePoint
    private(set) var count: Double
    /// The first, where the extent is measured from, for the middle moves.
    let origin: SurfacePoint
    /// Radius around the origin that holds every fix with its uncertainty, metres.
    private var reach: Double

    /// - Parameters:
    ///   - radius: that holds what is in it already, metres.
    ///   - count: how many fixes that were; below 1 counts as 1.
    init(_ point: SurfacePoint, radius: Double, count: Double = 1) {
        (middle, origin, reach) = (point, point, radius)
        self.count = max(1, count)
    }

    /// Radius around the middle that surely holds every fix with its uncertainty, metres.
    var radius: Double { reach + origin.distance(to: middle) }

    mutating func add(_ other: FixCluster) {
        reach = max(reach, origin.distance(to: other.origin) + other.reach)
        count += other.count
        middle = middle.moved(by: other.count / count, towards: other.middle)
    }
}
