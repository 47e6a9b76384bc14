/// An area whose entry and exit are reported.
///
/// A value of this type is always valid.
public struct Region: Sendable, Hashable {
    /// The owner's name for it, unique among the regions it monitors, 1 to ``identifierLimit`` bytes of UTF-8.
    public let identifier: String
    /// Where it is.
    public let shape: RegionShape
    /// Seconds after which a stay inside is reported as a dwell, 1...86400; `nil` if dwells are not requested.
    public let dwell: Double?

    /// The longest identifier, bytes of UTF-8.
    public static let identifierLimit = 256
    /// The range of a dwell, seconds.
    public static let dwellRange = 1.0...86_400

    /// - Throws: ``InvalidField`` if the identifier is empty or too long, or the dwell is out of range.
    public init(identifier: String, shape: RegionShape, dwell: Double? = nil) throws(InvalidField) {
        guard (1...Self.identifierLimit).contains(identifier.utf8.count) else {
            throw InvalidField("identifier", "must have 1 to \(Self.identifierLimit) bytes")
        }
        if let dwell, !Self.dwellRange.contains(dwell) {
            throw InvalidField("dwell", "must be within 1...86400 seconds")
        }
        self.identifier = identifier
        self.shape = shape
        self.dwell = dwell
    }
}

/// The shape of a region.
public enum RegionShape: Sendable, Hashable {
    /// A circle over the ellipsoid.
    case circle(RegionCircle)
    /// A ring of corners.
    case polygon(RegionPolygon)
}

/// All positions within a radius of a center, over the ellipsoid.
public struct RegionCircle: Sendable, Hashable {
    /// The middle.
    public let center: Coordinate
    /// Metres, 1...10,000,000.
    public let radius: Double

    /// The range of a radius, metres.
    public static let radiusRange = 1.0...10_000_000

    /// - Throws: ``InvalidField`` if the radius is out of range or no number.
    public init(center: Coordinate, radius: Double) throws(InvalidField) {
        guard Self.radiusRange.contains(radius) else {
            throw InvalidField("radius", "must be within 1...10000000 metres")
        }
        self.center = center
        self.radius = radius
    }
}

/// All positions within a ring of corners. As in GeoJSON (RFC 7946), corners are joined by lines that are straight on a
/// map of longitude and latitude; each goes the shorter way around the Earth, so the antimeridian needs no special
/// treatment, and a line of exactly half a turn does not cross it. A ring that goes around the Earth contains the pole
/// that its corners are nearer to on average. Where lines cross, an area that the ring surrounds twice is outside.
public struct RegionPolygon: Sendable, Hashable {
    /// 3 to ``cornerLimit`` corners, clockwise or counterclockwise, each rounded to 1e-7 degrees, which is a
    /// centimetre; the last is joined to the first.
    public let corners: [Coordinate]

    /// The most corners a polygon may have.
    public static let cornerLimit = 1000

    /// A last corner that repeats the first, as GeoJSON has it, is left out.
    /// - Throws: ``InvalidField`` if there are too few different corners or too many.
    public init(corners: [Coordinate]) throws(InvalidField) {
        var open = corners.map(\.roundedToCentimetres)
        if open.count > 1, open.first == open.last { open.removeLast() }
        guard (3...Self.cornerLimit).contains(open.count), Set(open).count >= 3 else {
            throw InvalidField("polygon", "must have 3 to \(Self.cornerLimit) different corners")
        }
        self.corners = open
    }
}

extension Coordinate {
    /// Rounding is idempotent, and JSON needs no more than seven decimal places for the result.
    fileprivate var roundedToCentimetres: Coordinate {
        func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
        return Coordinate(latitude: rounded(latitude), longitude: rounded(longitude)) ?? self
    }
}

extension Region: Codable {
    private enum CodingKeys: String, CodingKey { case identifier, center, radius, polygon, dwell }

    /// Decodes the wire's form: either `center` and `radius` or `polygon`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func invalid(_ field: String, _ reason: String) -> DecodingError {
            .dataCorruptedError(
                forKey: CodingKeys(stringValue: field) ?? .identifier, in: container, debugDescription: reason)
        }
        let center = try container.decodeIfPresent(Coordinate.self, forKey: .center)
        let radius = try container.decodeIfPresent(Double.self, forKey: .radius)
        let corners = try container.decodeIfPresent([Coordinate].self, forKey: .polygon)
        let identifier = try container.decode(String.self, forKey: .identifier)
        let dwell = try container.decodeIfPresent(Double.self, forKey: .dwell)
        do throws(InvalidField) {
            let shape: RegionShape
            switch (center, radius, corners) {
            case (let center?, let radius?, nil): shape = .circle(try RegionCircle(center: center, radius: radius))
            case (nil, nil, let corners?): shape = .polygon(try RegionPolygon(corners: corners))
            default: throw InvalidField("polygon", "or both center and radius must be given, not both kinds")
            }
            try self.init(identifier: identifier, shape: shape, dwell: dwell)
        } catch {
            throw invalid(error.field, error.reason)
        }
    }

    /// Encodes the wire's form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        switch shape {
        case .circle(let circle):
            try container.encode(circle.center, forKey: .center)
            try container.encode(circle.radius, forKey: .radius)
        case .polygon(let polygon): try container.encode(polygon.corners, forKey: .polygon)
        }
        try container.encodeIfPresent(dwell, forKey: .dwell)
    }
}
