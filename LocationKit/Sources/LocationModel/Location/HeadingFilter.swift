/// Which headings a subscriber wants to receive: those that differ enough from the last one.
public struct HeadingFilter: Sendable, Hashable {
    /// Degrees that the heading must have turned since the last admitted one; 0, a negative number or NaN admits every
    /// heading that has a direction.
    public var degrees: Double

    /// A filter of so many degrees.
    public init(degrees: Double) {
        self.degrees = degrees
    }

    /// True if a subscriber that last received `last` wants this heading.
    ///
    /// A heading without a direction has nothing to compare, and is never wanted. One that has a true or magnetic
    /// direction for the first time, or no longer, is always wanted. Otherwise the direction that turned farther
    /// counts.
    public func admits(_ heading: Heading, since last: Heading?) -> Bool {
        guard heading.hasDirection else { return false }
        guard let last, degrees > 0 else { return true }
        let pairs = [
            (last.magneticHeading, heading.magneticHeading), (last.trueHeading, heading.trueHeading),
        ]
        return pairs.contains { before, now in
            guard let before, let now else { return (before == nil) != (now == nil) }
            return Self.angle(from: before, to: now) >= degrees
        }
    }

    /// The smaller angle between two directions, 0...180 degrees.
    private static func angle(from one: Double, to other: Double) -> Double {
        let turn = abs(one - other).truncatingRemainder(dividingBy: 360)
        return min(turn, 360 - turn)
    }
}

extension Heading {
    /// True if a true or magnetic heading is known.
    public var hasDirection: Bool { trueHeading != nil || magneticHeading != nil }
}
