@_spi(Programs) import LocationModel

/// What is known of height and climb.
struct HeightEstimate: Sendable {
    /// The deviations of a height and a climb whose accuracy is unknown, and the least of any, metres and metres per second.
    private static let (unknown, unknownClimb, least, leastClimb) = (30.0, 0.5, 0.01, 0.1)

    private var filter: LineFilter
    private var share = ErrorShare()
    /// The measured height, which the others of its fix differ from by what the receiver says, and its stated variance.
    private var (measured, R): (Double, Double)

    /// - Returns: `nil` if the receiver says no height.
    init?(_ fix: Location) {
        guard let height = Self.height(of: fix) else { return nil }
        (measured, R) = (height, Self.variance(of: fix))
        filter = LineFilter(height: height, R: R)
        update(climbOf: fix, after: 0)
    }

    /// Takes the next fix.
    ///
    /// - Returns: false if the receiver says no height, or nothing can be said any more.
    mutating func advance(with fix: Location, after T: Double, isStanding: Bool, _ agility: Agility) -> Bool {
        guard let height = Self.height(of: fix) else { return false }
        (measured, R) = (height, Self.variance(of: fix))
        if isStanding { filter.wait(T) } else { filter.predict(T, q: agility.vertical) }
        let innovation = height - filter.z
        share.observe(square: innovation * innovation, P: filter.Pzz, R: R)
        filter.update(height: height, R: R * (isStanding ? Correlation.standing(T) : share.value))
        update(climbOf: fix, after: T)
        return filter.isFinite
    }

    func predicted(after T: Double, _ agility: Agility) -> HeightEstimate {
        var later = self
        later.filter.predict(T, q: agility.vertical)
        return later
    }

    /// Puts it in place of what was measured.
    func describe(in location: inout Location) {
        let correction = filter.z - measured
        location.altitude = location.altitude.map { $0 + correction }
        location.ellipsoidalAltitude = location.ellipsoidalAltitude.map { $0 + correction }
        if location.verticalAccuracy != nil {
            location.verticalAccuracy = (filter.Pzz + R * share.remainder).squareRoot()
        }
        (location.climb, location.climbAccuracy) = (filter.v, filter.Pvv.squareRoot())
    }

    private mutating func update(climbOf fix: Location, after T: Double) {
        guard let climb = fix.climb else { return }
        let deviation = max(Self.leastClimb, fix.climbAccuracy ?? Self.unknownClimb)
        filter.update(climb: climb, R: deviation * deviation * Correlation.velocity(T))
    }

    private static func height(of fix: Location) -> Double? { fix.ellipsoidalAltitude ?? fix.altitude }

    private static func variance(of fix: Location) -> Double {
        let deviation = (fix.verticalAccuracy ?? unknown) / MeasuredMotion.scale(of: fix)
        return max(least, deviation) * max(least, deviation)
    }
}
