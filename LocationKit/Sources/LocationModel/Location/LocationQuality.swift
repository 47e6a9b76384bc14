/// Where the number in ``Location/horizontalAccuracy`` comes from.
public enum AccuracyBasis: String, OpenEnumeration {
    /// The receiver states it.
    case stated
    /// It is the dilution of precision multiplied by a usual error of ranges, because the receiver states none: gpsd's
    /// estimate.
    case fromDOP
    /// A basis of a later version.
    case unknown
}

/// How an estimated location was made. Its `horizontalAccuracy` holds for 68 %.
public enum LocationBasis: String, OpenEnumeration {
    /// From the fix of its time and those before it.
    case filtered
    /// From the fixes before it alone, because there is none for its time.
    case predicted
    /// A basis of a later version.
    case unknown
}

/// The state of a receiver's antenna, as the receiver measures it.
public enum AntennaState: String, OpenEnumeration {
    /// It is connected.
    case ok
    /// There is none, or its cable is broken.
    case open
    /// It, or its cable, has a short circuit.
    case short
    /// A state of a later version.
    case unknown
}

/// The ellipse of a position's horizontal error. It is `nil` where the receiver gives only the radius of a circle.
public struct ErrorEllipse: Sendable, Hashable, Codable {
    /// Half the longer axis, metres.
    public var semiMajorAxis: Double
    /// Half the shorter axis, metres.
    public var semiMinorAxis: Double
    /// Direction of the longer axis, degrees clockwise from true north, 0..<180.
    public var orientation: Double
    /// True if the axes are standard deviations (NMEA's GST sentence); false if they are errors in longitude and
    /// latitude of unknown certainty: the receiver's own, or estimated by gpsd.
    public var isStandardDeviation: Bool

    /// - Returns: `nil` if an axis is negative, not finite or shorter than the other, or the orientation is not finite.
    public init?(semiMajorAxis: Double, semiMinorAxis: Double, orientation: Double, isStandardDeviation: Bool) {
        guard semiMajorAxis.isFinite, semiMinorAxis >= 0, semiMajorAxis >= semiMinorAxis, orientation.isFinite
        else { return nil }
        let half = orientation.truncatingRemainder(dividingBy: 180)
        let turned = half < 0 ? half + 180 : half
        self.semiMajorAxis = semiMajorAxis
        self.semiMinorAxis = semiMinorAxis
        self.orientation = turned == 180 ? 0 : turned
        self.isStandardDeviation = isStandardDeviation
    }

    /// The ellipse along the meridian and the parallel.
    ///
    /// - Parameters:
    ///   - longitudeError: metres, east to west.
    ///   - latitudeError: metres, north to south.
    /// - Returns: `nil` if an error is negative or not finite.
    public init?(longitudeError: Double, latitudeError: Double) {
        self.init(
            semiMajorAxis: max(longitudeError, latitudeError), semiMinorAxis: min(longitudeError, latitudeError),
            orientation: longitudeError > latitudeError ? 90 : 0, isStandardDeviation: false)
    }
}

/// Why a location cannot be true, or is not believed yet.
public enum Implausibility: String, OpenEnumeration {
    /// It is at latitude 0, longitude 0 without moving, which some receivers report before they know.
    case nullIsland
    /// It is farther from the location before than anything travels in the time between.
    case jump
    /// Its time is earlier than that of the location before.
    case timeRunsBack
    /// A rule of a later version.
    case unknown
}
