@_spi(Programs) import LocationModel

/// What is known of height and climb.
struct HeightEstimate: Sendable {
    /// The deviations of a height and a climb whose accuracy is unknown, and the least of any, metres and metres per
    /// second.
    private static let (unknown, unknownClimb, least, leastClimb) = (30.0, 0.5, 0.01, 0.1)

    /// Metres, and metres per second: numbers beyond would not stay finite.
    private static let possible = -1e8...1e8

    private var filter: LineFilter
    private var share = ErrorShare()
    /// The measured height, above the ellipsoid or above mean sea level, from which the other of its fix differs by
    /// what the receiver says.
    private var measured: (height: Double, isEllipsoidal: Bool)
    /// Its stated variance.
    private var R: Double

    /// - Returns: `nil` if the receiver says no height.
    init?(_ fix: Location) {
        guard let height = Self.height(of: fix) else { return nil }
        (measured, R) = (height, Self.variance(of: fix))
        filter = LineFilter(height: height.height, R: R)
        update(climbOf: fix, after: 0)
    }

    /// Takes the next fix.
    ///
    /// - Parameter isLevel: whether the machine stands, and neither climbs nor sinks.
    /// - Returns: false if the receiver says no such height, or nothing can be said any more.
    mutating func advance(with fix: Location, after T: Double, isLevel: Bool, _ agility: Agility) -> Bool {
        guard pass(fix, after: T, isLevel: isLevel, agility) else { return false }
        let innovation = measured.height - filter.z
        share.observe(square: innovation * innovation, P: filter.Pzz, R: R)
        filter.update(height: measured.height, R: R * (isLevel ? Correlation.standing(T) : share.value))
        update(climbOf: fix, after: T)
        return filter.isFinite
    }

    /// The next fix came, and its height is not believed yet.
    mutating func pass(_ fix: Location, after T: Double, isLevel: Bool, _ agility: Agility) -> Bool {
        guard let height = Self.height(of: fix), height.isEllipsoidal == measured.isEllipsoidal else { return false }
        (measured, R) = (height, Self.variance(of: fix))
        if isLevel { filter.wait(T) } else { filter.predict(T, q: agility.vertical) }
        return true
    }

    func predicted(after T: Double, _ agility: Agility) -> HeightEstimate {
        var later = self
        later.filter.predict(T, q: agility.vertical)
        return later
    }

    /// Puts it in place of what was measured.
    func describe(in location: inout Location) {
        let correction = filter.z - measured.height
        location.altitude = location.altitude.map { $0 + correction }
        location.ellipsoidalAltitude = location.ellipsoidalAltitude.map { $0 + correction }
        if location.verticalAccuracy != nil {
            location.verticalAccuracy = (filter.Pzz + R * share.remainder).squareRoot()
        }
        (location.climb, location.climbAccuracy) = (filter.v, filter.Pvv.squareRoot())
    }

    private mutating func update(climbOf fix: Location, after T: Double) {
        guard let climb = fix.climb else { return }
        guard Self.possible.contains(climb) else { return }
        let deviation = min(MeasuredMotion.greatest, max(Self.leastClimb, fix.climbAccuracy ?? Self.unknownClimb))
        filter.update(climb: climb, R: deviation * deviation * Correlation.velocity(T))
    }

    private static func height(of fix: Location) -> (height: Double, isEllipsoidal: Bool)? {
        if let height = fix.ellipsoidalAltitude { return possible.contains(height) ? (height, true) : nil }
        return fix.altitude.flatMap { possible.contains($0) ? ($0, false) : nil }
    }

    private static func variance(of fix: Location) -> Double {
        let deviation = (fix.verticalAccuracy ?? unknown) / MeasuredMotion.scale(of: fix)
        let bounded = min(MeasuredMotion.greatest, max(least, deviation))
        return bounded * bounded
    }
}
