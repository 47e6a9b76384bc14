import Geodesy
import LocationModel

/// How far a region's border is, for a machine that moves: measured where something depends on it, and else known well
/// enough from where the circle's center is, or from where a polygon's border was measured last.
struct BorderGauge: Sendable {
    private let border: RegionBorder
    /// A circle's center, or where a polygon's border was measured from last.
    private var point: SurfacePoint?
    private var measured = 0.0

    init(_ shape: RegionShape) {
        border = RegionBorder(shape)
        if case .circle(let circle) = border { point = SurfacePoint(circle.center) }
    }

    /// Metres that no place inside is farther from the border than.
    var depth: Double { border.depth }

    /// What ``measure(from:)`` would give.
    func estimate(from place: SurfacePoint) -> DistanceRange {
        guard let point else { return .any }
        let way = point.way(to: place)
        switch border {
        case .circle(let circle): return DistanceRange(circle.radius - way.most, circle.radius - way.least)
        case .polygon:
            // What is measured approximately, this time and that, changes by no more than the way. A part of a chord is
            // less than twice that part of its arc up to 14,000 km, and never more than 180 km.
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
