@_spi(Programs) import LocationModel

/// For how long a decision about who may know the position may hold.
@_spi(Programs) public enum DecisionTerm {
    /// The longest: a year, seconds.
    @_spi(Programs) public static let limit = 31_536_000.0

    /// Checks the member `duration` of a decision.
    ///
    /// - Parameter duration: seconds; `nil` for ever.
    static func validate(_ duration: Double?, ofDenial isDenial: Bool) throws(InvalidField) {
        guard let duration else { return }
        guard duration > 0, duration <= limit else {
            throw InvalidField("duration", "seconds, more than 0 and at most 31536000")
        }
        guard !isDenial else { throw InvalidField("duration", "a denial has no term") }
    }
}
