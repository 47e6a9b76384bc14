import LocationModel

/// What one fix says of a region.
struct Sighting: Sendable {
    let time: BootInstant
    /// Metres from the border, negative outside.
    let distance: Double
    /// The radius of the circle that holds the position, metres.
    let accuracy: Double

    /// Metres that the machine must be outside to have left.
    static let exitMargin = 20.0
    /// A fix that is so many times its accuracy, or the exit margin if that is more, from the border needs no other
    /// to confirm it.
    static let decisiveFactor = 3.0
    /// Seconds between two fixes that confirm each other, so that a fast receiver's are not one and the same.
    static let separation = 0.5

    init(_ fix: Location, border: RegionBorder, settings: MonitorSettings) {
        time = fix.monotonicTime
        distance = border.distance(from: fix.coordinate)
        accuracy = fix.horizontalAccuracy.map { max(0, $0) } ?? settings.assumedAccuracy
    }

    /// The side it speaks for; `nil` if the border crosses the circle.
    func state(after known: RegionState) -> RegionState? {
        if distance >= accuracy { return .inside }
        return -distance >= (known == .inside ? max(accuracy, Self.exitMargin) : accuracy) ? .outside : nil
    }

    /// True if it is so far from the border that it says enough by itself.
    var isDecisive: Bool { distance.magnitude >= Self.decisiveFactor * max(accuracy, Self.exitMargin) }
}
