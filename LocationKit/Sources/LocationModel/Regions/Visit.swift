/// A stay at one place.
///
/// The arrival is reported once all fixes of five minutes lie within 50 m, plus their accuracy, and none is faster than
/// 2 m/s. The departure is reported once two fixes, at least 15 s apart and with none between them back at the place,
/// lie more than 100 m, plus their accuracy, from its middle. An unknown accuracy counts as 100 m; less accurate fixes
/// are ignored. The receiver is woken often enough that no stay of ten minutes is missed; of shorter ones, five minutes
/// and more, those are noticed during which there are fixes anyway.
///
/// The times, the middle and the radius are those of the place: a visit begins where the machine stopped, up to 20 s,
/// and ends where it left. The way out counts as part of it only if the machine came back, or stood there for a minute.
public struct Visit: Sendable, Hashable {
    /// The middle of the fixes of the stay.
    public var coordinate: Coordinate
    /// Radius of the circle that holds the stay's fixes with their uncertainty, metres.
    public var horizontalAccuracy: Double
    /// When it began, by the receiver's UTC; `nil` if that is not known.
    public var arrival: UTCTime?
    /// When it ended, by the receiver's UTC; `nil` while it lasts, or if that is not known.
    public var departure: UTCTime?
    /// True while it lasts.
    public var isPresent: Bool

    /// A visit that began.
    public init(
        coordinate: Coordinate, horizontalAccuracy: Double, arrival: UTCTime?, departure: UTCTime? = nil,
        isPresent: Bool
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.arrival = arrival
        self.departure = departure
        self.isPresent = isPresent
    }
}

extension Visit: Codable {
    private enum CodingKeys: String, CodingKey {
        case latitude, longitude, horizontalAccuracy, arrival, departure, isPresent
    }

    /// Decodes the wire's form; the coordinate's members are at the same level as the others.
    public init(from decoder: any Decoder) throws {
        coordinate = try Coordinate(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        horizontalAccuracy = try container.decode(Double.self, forKey: .horizontalAccuracy)
        arrival = try container.decodeIfPresent(UTCTime.self, forKey: .arrival)
        departure = try container.decodeIfPresent(UTCTime.self, forKey: .departure)
        isPresent = try container.decode(Bool.self, forKey: .isPresent)
    }

    /// Encodes the wire's form.
    public func encode(to encoder: any Encoder) throws {
        try coordinate.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(horizontalAccuracy, forKey: .horizontalAccuracy)
        try container.encodeIfPresent(arrival, forKey: .arrival)
        try container.encodeIfPresent(departure, forKey: .departure)
        try container.encode(isPresent, forKey: .isPresent)
    }
}
