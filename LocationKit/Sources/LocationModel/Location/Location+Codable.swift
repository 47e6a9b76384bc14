extension Location: Codable {
    /// Decodes the wire's form. `monotonicTime` and `sequence` may be absent, as in a recording made by hand.
    public init(from decoder: any Decoder) throws {
        self.init(
            coordinate: try Coordinate(from: decoder), monotonicTime: BootInstant(nanoseconds: 0),
            source: SourceInformation(name: "unknown", method: .unknown))
        var visitor = MemberDecoding(container: try decoder.container(keyedBy: MemberName.self))
        try visitMembers(&visitor)
    }

    /// Encodes the wire's form without `age`, which is known only at sending.
    public func encode(to encoder: any Encoder) throws {
        var visitor = MemberEncoding(encoder: encoder, container: encoder.container(keyedBy: MemberName.self))
        var location = self
        try location.visitMembers(&visitor)
    }
}

/// A member's name as a coding key.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: StaticString) { stringValue = name.description }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Reads each member that is there; the others keep their value.
private struct MemberDecoding: LocationMemberVisitor {
    typealias Failure = any Error

    let container: KeyedDecodingContainer<MemberName>

    private func value<Value: Decodable>(_ name: StaticString) throws -> Value? {
        try container.decodeIfPresent(Value.self, forKey: MemberName(name))
    }

    func visit(_ name: StaticString, _ value: inout Double?) throws { value = try self.value(name) }
    func visit(_ name: StaticString, _ value: inout Int?) throws { value = try self.value(name) }
    func visit(_ name: StaticString, _ value: inout (some OpenEnumeration)?) throws { value = try self.value(name) }
    func visit(_ name: StaticString, _ value: inout ErrorEllipse?) throws { value = try self.value(name) }
    func visit(_ name: StaticString, _ value: inout UTCTime?) throws { value = try self.value(name) }
    func visit(_ name: StaticString, flag: inout Bool) throws { flag = try value(name) ?? flag }
    func visit(_ name: StaticString, always mode: inout FixMode) throws { mode = try value(name) ?? mode }
    func visit(_ name: StaticString, always time: inout BootInstant) throws { time = try value(name) ?? time }
    func visit(_ name: StaticString, always number: inout Int64) throws { number = try value(name) ?? number }
    func visit(_ name: StaticString, always source: inout SourceInformation) throws {
        source = try value(name) ?? source
    }
    func visit(_ coordinate: inout Coordinate) {}
    func visitAge() {}
}

private struct MemberEncoding: LocationMemberVisitor {
    typealias Failure = any Error

    let encoder: any Encoder
    var container: KeyedEncodingContainer<MemberName>

    private mutating func encode(_ name: StaticString, _ value: (some Encodable)?) throws {
        try container.encodeIfPresent(value, forKey: MemberName(name))
    }

    mutating func visit(_ name: StaticString, _ value: inout Double?) throws { try encode(name, value) }
    mutating func visit(_ name: StaticString, _ value: inout Int?) throws { try encode(name, value) }
    mutating func visit(_ name: StaticString, _ value: inout (some OpenEnumeration)?) throws {
        try encode(name, value)
    }
    mutating func visit(_ name: StaticString, _ value: inout ErrorEllipse?) throws { try encode(name, value) }
    mutating func visit(_ name: StaticString, _ value: inout UTCTime?) throws { try encode(name, value) }
    mutating func visit(_ name: StaticString, flag: inout Bool) throws { try encode(name, flag ? true : nil) }
    mutating func visit(_ name: StaticString, always mode: inout FixMode) throws { try encode(name, mode) }
    mutating func visit(_ name: StaticString, always time: inout BootInstant) throws { try encode(name, time) }
    mutating func visit(_ name: StaticString, always number: inout Int64) throws { try encode(name, number) }
    mutating func visit(_ name: StaticString, always source: inout SourceInformation) throws {
        try encode(name, source)
    }
    func visit(_ coordinate: inout Coordinate) throws { try coordinate.encode(to: encoder) }
    func visitAge() {}
}
