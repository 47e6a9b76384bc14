extension Double {
    /// The same direction within 0..<360 degrees; `nil` if it is not finite.
    var fullCircleDegrees: Double? {
        guard isFinite else { return nil }
        let remainder = truncatingRemainder(dividingBy: 360)
        let turned = remainder < 0 ? remainder + 360 : remainder
        // A tiny negative remainder plus 360 rounds to 360 itself.
        return turned < 360 ? turned : 0
    }

    /// The same direction within -180...180 degrees; `nil` if it is not finite.
    var halfCircleDegrees: Double? {
        isFinite ? remainder(dividingBy: 360) : nil
    }
}
