package import LocationModel

extension Location {
    /// The same with a horizontal dilution of precision for readers who judge accuracy by that alone.
    ///
    /// The receiver's own where it gives one. Else the worst that fits the accuracy: dilution is the position's error
    /// divided by that of a range, which is taken to be 1 m, as good as it gets without carrier phase; rounded up to
    /// hundredths, 1 at least. Where neither is known, and for what is beyond the field: 99.99, the worst that NMEA can
    /// say. An empty field would not do: some readers take it for 0, which is the best.
    package var statingHDOP: Location {
        var location = self
        location.hdop = min(hdop.flatMap { $0 > 0 ? $0 : nil } ?? derivedHDOP ?? Self.worstHDOP, Self.worstHDOP)
        return location
    }

    private static let worstHDOP = 99.99
    /// Metres.
    private static let rangeError = 1.0

    private var derivedHDOP: Double? {
        horizontalAccuracy.map { max(1, ($0 / Self.rangeError * 100).rounded(.up) / 100) }
    }
}
