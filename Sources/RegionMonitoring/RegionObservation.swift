import Geodesy
import LocationModel

/// What one fix says of a region.
struct RegionObservation: Sendable {
    let time: BootInstant
    let place: Coordinate
    let point: SurfacePoint
    /// Metres from the border, negative outside.
    var distance: DistanceRange
    /// The radius of the circle that holds the position, metres.
    let accuracy: Double

    /// Metres that the machine must be outside to have left.
    static let exitMargin = 20.0
    /// A fix that is so many times its accuracy, or the exit margin if that is more, from the border needs no other
    /// to confirm it.
    static let decisiveFactor = 3.0
    /// Seconds between two fixes that confirm each other, so that a fast receiver's are not one and the same.
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

    /// What it says of the border after what is known; `nil` if that depends on where in its span the distance is. As no
    /// more than one side follows another the farther in one goes, what both ends say all between them say.
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
        /// The side it speaks for; `nil` if the border crosses the circle.
        let state: RegionState?
        /// True if it is so far from the border that it says enough by itself.
        let isDecisive: Bool
    }
}
