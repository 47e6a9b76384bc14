/// How far or how long the machine must have moved for a change to be significant.
///
/// The first location is told at once. Another is told once the machine is surely so far from it, which is by a fix
/// whose distance less its accuracy (100 m where that is unknown) is no shorter; or once the interval has passed. The
/// receiver is woken for it every 1 to 5 minutes while the machine moves, and ever more seldom, down to every 15, while
/// it stands; for long distances as seldom as 100 m/s allow. So much later may a change be told.
public struct SignificantChange: Sendable, Hashable, Codable {
    /// Metres from the location told last, 100...1,000,000.
    public let distance: Double
    /// Seconds after which a location is told however little it moved, 60...86400; `nil` if never.
    public let interval: Double?

    /// The distance unless another is asked for, metres.
    public static let defaultDistance = 500.0
    /// What a distance may be, metres.
    public static let distanceRange = 100.0...1_000_000
    /// What an interval may be, seconds.
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
