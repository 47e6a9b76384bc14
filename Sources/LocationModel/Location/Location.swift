/// One fix: where the machine is, how well that is known, and when it became known.
///
/// An unknown value is `nil`; no special number stands for "unknown".
public struct Location: Sendable, Hashable {
    /// Latitude and longitude on WGS 84.
    public var coordinate: Coordinate
    /// Radius of the circle that holds the position, metres, as the receiver estimates it.
    public var horizontalAccuracy: Double?
    /// Where `horizontalAccuracy` comes from; `nil` if that is not known, or there is none.
    public var accuracyBasis: AccuracyBasis?
    /// The error's ellipse, where the receiver gives more than a circle.
    public var errorEllipse: ErrorEllipse?
    /// Height above mean sea level, metres.
    public var altitude: Double?
    /// Height above the WGS 84 ellipsoid, metres.
    public var ellipsoidalAltitude: Double?
    /// Height of mean sea level (the geoid) above the ellipsoid here, metres, as the receiver or gpsd has used it.
    public var geoidSeparation: Double?
    /// Uncertainty of the altitudes, metres.
    public var verticalAccuracy: Double?
    /// Speed over ground, metres per second, not negative.
    public var speed: Double?
    /// Uncertainty of `speed`, metres per second.
    public var speedAccuracy: Double?
    /// Direction of travel, degrees clockwise from true north, 0..<360.
    public var course: Double?
    /// Uncertainty of `course`, degrees.
    public var courseAccuracy: Double?
    /// Vertical speed, metres per second, up is positive.
    public var climb: Double?
    /// Uncertainty of `climb`, metres per second.
    public var climbAccuracy: Double?
    /// Magnetic north's direction here, degrees east of true north.
    public var magneticVariation: Double?
    /// Two or three dimensions.
    public var mode: FixMode
    /// What improved the fix; `nil` for a plain one.
    public var augmentation: Augmentation?
    /// Satellites that went into the fix.
    public var satellitesUsed: Int?
    /// Horizontal dilution of precision, without unit.
    public var hdop: Double?
    /// Vertical dilution of precision, without unit.
    public var vdop: Double?
    /// Position (3D) dilution of precision, without unit.
    public var pdop: Double?
    /// The state of the antenna, if the receiver reports it: with gpsd 3.26 and later.
    public var antenna: AntennaState?
    /// How strongly the receiver is jammed, 0 (not at all) to 255, by its own indicator, if it has one: with gpsd 3.26 and
    /// later.
    public var jamming: Int?
    /// The receiver's UTC for this fix; `nil` while it has none.
    public var timestamp: UTCTime?
    /// True if `timestamp` is far from the daemon's synchronized clock, as after a roll-over of the GPS week; the
    /// position is true all the same.
    public var isTimestampImplausible = false
    /// Why the location is not believed; `nil` if it is. Only a watch of every source receives such locations.
    public var implausibility: Implausibility?
    /// When the fix reached the daemon, on the clock that never jumps.
    public var monotonicTime: BootInstant
    /// The daemon's number for this fix: strictly rising, over restarts too. 0 before it has one.
    public var sequence: Int64
    /// Which source and receiver it comes from.
    public var source: SourceInformation

    /// A location of which only the position is known.
    public init(
        coordinate: Coordinate, mode: FixMode = .twoDimensional, monotonicTime: BootInstant, source: SourceInformation
    ) {
        self.coordinate = coordinate
        self.mode = mode
        self.monotonicTime = monotonicTime
        self.source = source
        sequence = 0
    }

    /// Seconds since the fix reached the daemon, never negative.
    public func age(at now: BootInstant) -> Double {
        max(0, now.seconds(since: monotonicTime))
    }

    /// True if every field is equal except the moment of arrival and the sequence number.
    public func saysTheSame(as other: Location) -> Bool {
        // Nearly all differ here; the copy costs more.
        guard timestamp == other.timestamp, coordinate == other.coordinate else { return false }
        var twin = other
        twin.monotonicTime = monotonicTime
        twin.sequence = sequence
        return self == twin
    }
}

/// How many dimensions a fix has, as the receiver says.
public enum FixMode: String, OpenEnumeration {
    /// Latitude and longitude.
    case twoDimensional
    /// Latitude, longitude and altitude.
    case threeDimensional
    /// A mode of a later version.
    case unknown
}

/// What makes a fix better than, or different from, a plain satellite fix. A plain fix has none.
public enum Augmentation: String, OpenEnumeration {
    /// Differential corrections (ground station or SBAS).
    case dgps
    /// Real-time kinematic, integer ambiguities resolved: centimetres.
    case rtkFixed
    /// Real-time kinematic, ambiguities not resolved: decimetres.
    case rtkFloat
    /// Inertial or odometer only, no satellites.
    case deadReckoning
    /// Satellites joined with dead reckoning.
    case gnssDeadReckoning
    /// The position is a surveyed or entered one; only time is measured.
    case timeOnly
    /// The receiver itself simulates the fix.
    case simulated
    /// Precise Positioning Service, P(Y) code.
    case precise
    /// An augmentation of a later version.
    case unknown
}
