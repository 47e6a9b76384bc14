package import LocationModel

/// A value with its age in seconds when it is sent, in one flat object.
package struct Aged<Value: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    package var value: Value
    /// Seconds since the daemon received the value.
    package var age: Double

    private enum CodingKeys: String, CodingKey { case age }

    package init(_ value: Value, age: Double) {
        self.value = value
        self.age = (age * 1e6).rounded() / 1e6
    }

    package init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
        age = try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .age)
    }

    package func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
    }
}

extension Aged<Location> {
    package init(_ location: Location, at now: BootInstant) {
        self.init(location, age: location.age(at: now))
    }
}
