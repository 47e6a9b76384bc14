import LocationModel

/// Which headings are told: those that differ enough from the last one told.
struct HeadingFilter: Sendable {
    /// Degrees; nothing is held back at 0, below it, or without a number.
    var degrees: Double = 1
    private var last: Double?

    /// The next heading is told, whatever it is.
    mutating func reset() {
        last = nil
    }

    /// True if the heading is to be told; it is compared with later ones then.
    mutating func admits(_ heading: Heading) -> Bool {
        guard let direction = heading.magneticHeading ?? heading.trueHeading else { return false }
        if let last, degrees > 0, Self.angle(from: last, to: direction) < degrees { return false }
        last = direction
        return true
    }

    /// The smaller angle between two directions, 0...180 degrees.
    private static func angle(from one: Double, to other: Double) -> Double {
        let turn = abs(one - other).truncatingRemainder(dividingBy: 360)
        return min(turn, 360 - turn)
    }
}
