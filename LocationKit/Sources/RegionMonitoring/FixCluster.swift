@_spi(Programs) import LocationModel

/// Fixes close to each other, of which only the middle and the extent are stored.
struct FixCluster: Sendable, Hashable {
    /// The mean of all fixes.
    private(set) var middle: SurfacePoint
    private(set) var count: Double
    /// The first fix, from which the extent is measured, because the middle moves.
    let origin: SurfacePoint
    /// Radius around the origin that contains every fix with its uncertainty, metres.
    private var reach: Double
    /// The same without the uncertainties, metres.
    private var spread: Double

    /// - Parameters:
    ///   - radius: contains the fixes already in the cluster with their uncertainty, metres.
    ///   - extent: contains those fixes alone, metres.
    ///   - count: the number of those fixes; below 1 counts as 1.
    init(_ point: SurfacePoint, radius: Double, extent: Double = 0, count: Double = 1) {
        (middle, origin, reach, spread) = (point, point, radius, extent)
        self.count = max(1, count)
    }

    /// An upper bound of the radius around the middle that contains every fix with its uncertainty, metres.
    var radius: Double { reach + origin.distance(to: middle) }

    /// An upper bound of the radius around the middle that contains every fix, metres.
    var extent: Double { spread + origin.distance(to: middle) }

    mutating func add(_ other: FixCluster) {
        let distance = origin.distance(to: other.origin)
        reach = max(reach, distance + other.reach)
        spread = max(spread, distance + other.spread)
        count += other.count
        middle = middle.moved(by: other.count / count, towards: other.middle)
    }
}
