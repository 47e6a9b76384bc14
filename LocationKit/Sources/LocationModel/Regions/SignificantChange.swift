/// How far the machine must have moved, or how much time must have passed, for a change to be significant.
///
/// The first location is reported at once. Another is reported once a fix shows that the machine is certainly this far
/// away, that is if the distance less the fix's accuracy (100 m where that is unknown) is no shorter; or once the
/// interval has passed. For this the receiver is woken every 1 to 5 minutes while the machine moves, and progressively
/// less often, down to every 15 minutes, while it stands still; for long distances as seldom as a speed of 100 m/s
/// allows. A change may be reported late by as much.
public struct SignificantChange: Sendable, Hashable, Codable {
    /// Metres from the last reported location, 100...1,000,000.
    public let distance: Double
    /// Seconds after which a location is reported even without movement, 60...86400; `nil` if never.
    public let interval: Double?

    /// The default distance, metres.
    public static let defaultDistance = 500.0
    /// The range of a distance, metres.
    public static let distanceRange = 100.0...1_000_000
    /// The range of an interval, seconds.
    public static let intervalRange = 60.0...86_400

    /// - Returns: `nil` if a number is out of range.
    public init?(distance: Double = Self.defaultDistance, interval: Double? = nil) {
        guard Self.distanceRange.contains(distance) else { return nil }
        if let interval, !Self.intervalRange.contains(interval) { return nil }
        self.distance = distance
        self.interval = interval
    }

    /// Decodes the wire's form; an absent distance is the default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let distance = try container.decodeIfPresent(Double.self, forKey: .distance) ?? Self.defaultDistance
        let interval = try container.decodeIfPresent(Double.self, forKey: .interval)
        guard let valid = Self(distance: distance, interval: interval) else {
            throw DecodingError.dataCorruptedError(
                forKey: Self.distanceRange.contains(distance) ? .interval : .distance, in: container,
                debugDescription: "distance is within 100...1000000 metres and interval within 60...86400 seconds")
        }
        self = valid
    }

    private enum CodingKeys: String, CodingKey { case distance, interval }
}
