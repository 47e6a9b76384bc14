/// Where the device points, as measured by a compass; not the direction it moves in.
public struct Heading: Sendable, Hashable, Codable {
    /// Degrees clockwise from true north, 0..<360.
    public var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0..<360.
    public var magneticHeading: Double?
    /// Uncertainty of the headings, degrees.
    public var accuracy: Double?
    /// Nose up is positive, degrees, -90...90.
    public var pitch: Double?
    /// Right side down is positive, degrees, -180...180.
    public var roll: Double?
    /// The sensor's UTC, when it has one.
    public var timestamp: UTCTime?

    /// A heading of which nothing is known yet.
    public init() {}
}
