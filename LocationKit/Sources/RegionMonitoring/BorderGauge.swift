@_spi(Programs) import LocationModel

/// The distance of a moving machine from a region's border: measured exactly where a decision depends on it, and
/// otherwise estimated from a circle's center, or from the place where a polygon's border was last measured.
struct BorderGauge: Sendable {
    private let border: RegionBorder
    /// A circle's center, or the place from which a polygon's border was last measured.
    private var point: SurfacePoint?
    private var measured = 0.0

    init(_ shape: RegionShape) {
        border = RegionBorder(shape)
        if case .circle(let circle) = border { point = SurfacePoint(circle.center) }
    }

    /// An upper bound, metres, of the distance of any place inside from the border.
    var depth: Double { border.depth }

    /// The range in which the result of ``measure(from:)`` lies.
    func estimate(from place: SurfacePoint) -> DistanceRange {
        guard let point else { return .any }
        let way = point.way(to: place)
        switch border {
        case .circle(let circle): return DistanceRange(circle.radius - way.most, circle.radius - way.least)
        case .polygon:
            // Two approximate measurements differ by no more than the distance between their places. A fraction of a
            // chord is less than twice that fraction of its arc up to 14,000 km, and never more than 180 km.
            let (known, part) = (measured.magnitude, 2 * PolygonBorder.tolerance.part)
            let rounding = known + way.most < 1e7 ? 2 * PolygonBorder.tolerance.metres : 200_000
            let most = (known + rounding) * (1 + part) + way.most
            guard known > way.most else { return DistanceRange(-most, most) }
            let least = max(0, (known - way.most) * (1 - part) - rounding)
            return measured > 0 ? DistanceRange(least, most) : DistanceRange(-most, -least)
        }
    }

    /// Metres to the border as ``RegionBorder/distance(from:)`` has it.
    mutating func measure(from place: Coordinate, _ point: SurfacePoint) -> Double {
        let distance = border.distance(from: place)
        if case .polygon = border { (self.point, measured) = (point, distance) }
        return distance
    }
}
