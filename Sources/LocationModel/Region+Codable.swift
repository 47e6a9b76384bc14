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
