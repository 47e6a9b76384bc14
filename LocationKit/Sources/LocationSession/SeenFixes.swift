@_spi(Programs) public import LocationModel

/// Knows a fix that was delivered before: the one rule of every client that connects again.
///
/// A fix is new if its number is greater than that of the last one, or if it is smaller and the fix is newer: then the
/// daemon has lost its numbers, and begun anew.
@_spi(Programs) public struct SeenFixes: Sendable {
    private var newest: (sequence: Int64, monotonicTime: BootInstant)?

    /// Nothing was delivered yet.
    @_spi(Programs) public init() {}

    /// - Returns: whether the location is to be delivered, which then counts as done.
    @_spi(Programs) public mutating func admit(_ location: Location) -> Bool {
        if let newest {
            let isNext = location.sequence > newest.sequence
            let isAnew = location.sequence < newest.sequence && location.monotonicTime > newest.monotonicTime
            guard isNext || isAnew else { return false }
        }
        newest = (location.sequence, location.monotonicTime)
        return true
    }
}
