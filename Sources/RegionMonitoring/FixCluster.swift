import Geodesy
import LocationModel

/// Fixes close to each other, of which only the middle and the extent are stored.
struct FixCluster: Sendable, Hashable {
    /// The mean of all fixes.
    private(set) var middle: SurfacePoint
    private(set) var count: Double
    /// The first fix, from which the extent is measured, because the middle moves.
    let origin: SurfacePoint
    /// Radius around the origin that contains every fix with its uncertainty, metres.
    private var reach: Double

    /// - Parameters:
    ///   - radius: contains the fixes already in the cluster, metres.
    ///   - count: the number of those fixes; below 1 counts as 1.
    init(_ point: SurfacePoint, radius: Double, count: Double = 1) {
        (middle, origin, reach) = (point, point, radius)
        self.count = max(1, count)
    }

    /// An upper bound of the radius around the middle that contains every fix with its uncertainty, metres.
    var radius: Double { reach + origin.distance(to: middle) }

    mutating func add(_ other: FixCluster) {
        reach = max(reach, origin.distance(to: other.origin) + other.reach)
        count += other.count
        middle = middle.moved(by: other.count / count, towards: other.middle)
    }
}
