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
    /// How strongly the receiver is jammed, 0 (not at all) to 255, by its own indicator, if it has one: with gpsd 3.26
    /// and later.
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
    /// How it was made from fixes; `nil` for a fix itself. Only who asks for estimates receives other ones.
    public var basis: LocationBasis?

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

/// What is done with the members of a location on the wire: each is visited once, in the order of their names.
@_spi(Programs) public protocol LocationMemberVisitor: ~Copyable {
    /// What a visit may throw.
    associatedtype Failure: Error
    mutating func visit(_ name: StaticString, _ value: inout Double?) throws(Failure)
    mutating func visit(_ name: StaticString, _ value: inout Int?) throws(Failure)
    mutating func visit(_ name: StaticString, _ value: inout (some OpenEnumeration)?) throws(Failure)
    mutating func visit(_ name: StaticString, _ value: inout ErrorEllipse?) throws(Failure)
    mutating func visit(_ name: StaticString, _ value: inout UTCTime?) throws(Failure)
    /// A member that is there only if it is true.
    mutating func visit(_ name: StaticString, flag: inout Bool) throws(Failure)
    /// The members `latitude` and `longitude`.
    mutating func visit(_ coordinate: inout Coordinate) throws(Failure)
    // Those that are always written.
    mutating func visit(_ name: StaticString, always mode: inout FixMode) throws(Failure)
    mutating func visit(_ name: StaticString, always time: inout BootInstant) throws(Failure)
    mutating func visit(_ name: StaticString, always number: inout Int64) throws(Failure)
    mutating func visit(_ name: StaticString, always source: inout SourceInformation) throws(Failure)
    /// Here stands the age, which no location has by itself.
    mutating func visitAge() throws(Failure)
}

extension Location {
    /// Visits every member: what encodes, decodes, writes and reads locations has its list here.
    @_spi(Programs) @inlinable public mutating func visitMembers<Visitor: LocationMemberVisitor & ~Copyable>(
        _ visitor: inout Visitor
    ) throws(Visitor.Failure) {
        try visitor.visit("accuracyBasis", &accuracyBasis)
        try visitor.visitAge()
        try visitor.visit("altitude", &altitude)
        try visitor.visit("antenna", &antenna)
        try visitor.visit("augmentation", &augmentation)
        try visitor.visit("basis", &basis)
        try visitor.visit("climb", &climb)
        try visitor.visit("climbAccuracy", &climbAccuracy)
        try visitor.visit("course", &course)
        try visitor.visit("courseAccuracy", &courseAccuracy)
        try visitor.visit("ellipsoidalAltitude", &ellipsoidalAltitude)
        try visitor.visit("errorEllipse", &errorEllipse)
        try visitor.visit("geoidSeparation", &geoidSeparation)
        try visitor.visit("hdop", &hdop)
        try visitor.visit("horizontalAccuracy", &horizontalAccuracy)
        try visitor.visit("implausible", &implausibility)
        try visitor.visit("jamming", &jamming)
        try visitor.visit(&coordinate)
        try visitor.visit("magneticVariation", &magneticVariation)
        try visitor.visit("mode", always: &mode)
        try visitor.visit("monotonicTime", always: &monotonicTime)
        try visitor.visit("pdop", &pdop)
        try visitor.visit("satellitesUsed", &satellitesUsed)
        try visitor.visit("sequence", always: &sequence)
        try visitor.visit("source", always: &source)
        try visitor.visit("speed", &speed)
        try visitor.visit("speedAccuracy", &speedAccuracy)
        try visitor.visit("timestamp", &timestamp)
        try visitor.visit("timestampImplausible", flag: &isTimestampImplausible)
        try visitor.visit("vdop", &vdop)
        try visitor.visit("verticalAccuracy", &verticalAccuracy)
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
