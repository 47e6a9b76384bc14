@_spi(Programs) public import LocationModel

/// A value with its age in seconds when it is sent, in one flat object.
@_spi(Programs) public struct Aged<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    @_spi(Programs) public var value: Value
    /// Seconds since the daemon received the value.
    @_spi(Programs) public var age: Double

    private enum CodingKeys: String, CodingKey { case age, mode, monotonicTime, sequence, source }

    @_spi(Programs) public init(_ value: Value, age: Double) {
        self.value = value
        self.age = (age * 1e6).rounded() / 1e6
    }

    @_spi(Programs) public init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Double.self, forKey: .age)
        guard Value.self is Location.Type else { return }
        // A recording made by hand, and a location to simulate, may lack them; a reply may not.
        for key in [CodingKeys.mode, .monotonicTime, .sequence, .source]
        where try !container.contains(key) || container.decodeNil(forKey: key) {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a location has it"))
        }
    }

    @_spi(Programs) public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
    }
}

extension Aged<Location> {
    @_spi(Programs) public init(_ location: Location, at now: BootInstant) {
        self.init(location, age: location.age(at: now))
    }
}
