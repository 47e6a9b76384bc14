@_spi(Programs) import LocationModel

/// What one fix indicates about a region.
struct RegionObservation: Sendable {
    let time: BootInstant
    let place: Coordinate
    let point: SurfacePoint
    /// Metres from the border, negative outside.
    var distance: DistanceRange
    /// The radius of the circle that contains the position, metres.
    let accuracy: Double

    /// Metres that the machine must be outside for an exit.
    static let exitMargin = 20.0
    /// A fix is decisive by itself if its distance from the border is this many times its accuracy, or the exit margin
    /// if that is more.
    static let decisiveFactor = 3.0
    /// The least seconds between two fixes that confirm each other, so that two fixes of a fast receiver do not count
    /// as independent.
    static let separation = 0.5

    init(_ fix: Location, at point: SurfacePoint, gauge: BorderGauge, settings: MonitorSettings) {
        time = fix.monotonicTime
        place = fix.coordinate
        self.point = point
        distance = gauge.estimate(from: point)
        accuracy = fix.horizontalAccuracy.map { max(0, $0) } ?? settings.assumedAccuracy
    }

    mutating func measure(by gauge: inout BorderGauge) {
        distance = DistanceRange(gauge.measure(from: place, point))
    }

    /// The verdict for a known state; `nil` if it depends on the exact distance within the range. The verdict is
    /// monotonic in distance, so if both ends of the range agree, so does everything between.
    func verdict(after known: RegionState) -> Verdict? {
        let verdict = verdict(distance.least, after: known)
        return distance.least == distance.most || verdict == self.verdict(distance.most, after: known) ? verdict : nil
    }

    private func verdict(_ distance: Double, after known: RegionState) -> Verdict {
        let isDecisive = distance.magnitude >= Self.decisiveFactor * max(accuracy, Self.exitMargin)
        if distance >= accuracy { return Verdict(state: .inside, isDecisive: isDecisive) }
        let margin = known == .inside ? max(accuracy, Self.exitMargin) : accuracy
        return Verdict(state: -distance >= margin ? .outside : nil, isDecisive: isDecisive)
    }

    struct Verdict: Equatable {
        /// The side that the fix indicates; `nil` if its circle crosses the border.
        let state: RegionState?
        /// True if it is far enough from the border to need no confirmation.
        let isDecisive: Bool
    }
}
