// Decoding accepts every number. Code that does not trust the writer checks here that the values are physically
// possible.

extension Location {
    /// Accuracies, speeds and the like that a source outside of this machine's own programs may state.
    @_spi(Programs) public static let possibleMagnitudes = 0...1e9
    /// Heights, metres, and speeds upwards that such a source may state.
    @_spi(Programs) public static let possibleHeights = -1e8...1e8

    /// The wire name of a field with an impossible value; `nil` if all values are possible.
    @_spi(Programs) public var firstImpossibleField: String? {
        let notNegative: [(String, Double?)] = [
            ("horizontalAccuracy", horizontalAccuracy), ("verticalAccuracy", verticalAccuracy), ("speed", speed),
            ("speedAccuracy", speedAccuracy), ("courseAccuracy", courseAccuracy), ("climbAccuracy", climbAccuracy),
            ("hdop", hdop), ("vdop", vdop), ("pdop", pdop), ("satellitesUsed", satellitesUsed.map(Double.init)),
        ]
        if let found = notNegative.first(where: { $0.1.map { !($0 >= 0) } ?? false }) { return found.0 }
        if let ellipse = errorEllipse,
            !(ellipse.semiMinorAxis >= 0 && ellipse.semiMajorAxis >= ellipse.semiMinorAxis
                && (0..<180).contains(ellipse.orientation))
        {
            return "errorEllipse"
        }
        if let jamming, !(0...255).contains(jamming) { return "jamming" }
        if let course, !(0..<360).contains(course) { return "course" }
        if let magneticVariation, !(-180...180).contains(magneticVariation) { return "magneticVariation" }
        return nil
    }
}

extension Satellite {
    /// The wire name of a field with an impossible value; `nil` if all values are possible.
    @_spi(Programs) public var firstImpossibleField: String? {
        if let azimuth, !(0..<360).contains(azimuth) { return "azimuth" }
        if let elevation, !(-90...90).contains(elevation) { return "elevation" }
        if let signal, !(signal >= 0) { return "signal" }
        return id < 1 ? "id" : nil
    }
}

extension Heading {
    /// The wire name of a field with an impossible value; `nil` if all values are possible.
    @_spi(Programs) public var firstImpossibleField: String? {
        if let trueHeading, !(0..<360).contains(trueHeading) { return "trueHeading" }
        if let magneticHeading, !(0..<360).contains(magneticHeading) { return "magneticHeading" }
        if let accuracy, !(accuracy >= 0) { return "accuracy" }
        if let pitch, !(-90...90).contains(pitch) { return "pitch" }
        if let roll, !(-180...180).contains(roll) { return "roll" }
        return nil
    }
}
