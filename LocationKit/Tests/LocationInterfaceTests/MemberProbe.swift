@_spi(Programs) import LocationModel

/// What a type reads when it is decoded: each member, its kind, and whether it may be absent.
///
/// The probe gives it values that it accepts, so that it asks for the next member.
final class MemberProbe {
    indirect enum Kind {
        case bool, int, float, string
        /// One of these names, of which a later version may have more.
        case enumeration(allows: (String) -> Bool)
        case list(Kind)
        case object(MemberProbe)
    }

    private(set) var members: [String: (kind: Kind, isOptional: Bool)] = [:]

    /// - Returns: `nil` if the type does not read members.
    static func members(of type: any Decodable.Type) throws -> MemberProbe {
        let probe = MemberProbe()
        _ = try probe.value(of: type)
        return probe
    }

    fileprivate func add(_ name: String, _ kind: Kind, isOptional: Bool) { members[name] = (kind, isOptional) }

    /// Members that exclude others, of which types accept one alone.
    fileprivate static let alternatives: Set<String> = ["polygon"]
    /// Numbers that have to be greater than the others.
    fileprivate static let numbers = ["distance": 1000.0, "interval": 100.0]
    /// A moment, which a string may have to be.
    fileprivate static let text = "2026-01-02T03:04:05.678Z"

    fileprivate func value<Value: Decodable>(of type: Value.Type) throws -> Value {
        try Value(from: Source(probe: self))
    }

    /// A value of a member, and what kind of member it is.
    fileprivate static func sample<Value: Decodable>(
        of type: Value.Type, name: String = ""
    ) throws -> (value: Value, kind: Kind) {
        func result(_ value: some Any, _ kind: Kind) throws -> (Value, Kind) {
            guard let value = value as? Value else { throw Mismatch(description: "\(type)") }
            return (value, kind)
        }
        if let type = type as? any OpenEnumeration.Type { return try result(unknown(of: type), names(of: type)) }
        if let type = type as? any (CaseIterable & RawRepresentable<String>).Type {
            return try result(first(of: type), names(of: type))
        }
        if type == Double.self, let number = numbers[name] { return try result(number, .float) }
        let probe = MemberProbe()
        let source = Source(probe: probe)
        let value = try Value(from: source)
        return (value, source.simple ?? .object(probe))
    }

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private static func unknown<Name: OpenEnumeration>(of type: Name.Type) -> Name { .unknown }

    private static func names<Name: OpenEnumeration>(of type: Name.Type) -> Kind {
        .enumeration { name in
            // Of some, it is a state like the others.
            Name(rawValue: name).map { $0 != .unknown || name == Name.unknown.rawValue } ?? false
        }
    }

    private static func first<Name: CaseIterable>(of type: Name.Type) throws -> Name {
        guard let first = Name.allCases.first else { throw Mismatch(description: "\(type) has no case") }
        return first
    }

    private static func names<Name: RawRepresentable<String>>(of type: Name.Type) -> Kind {
        .enumeration { Name(rawValue: $0) != nil }
    }
}

/// One place of what is decoded.
private final class Source: Decoder {
    let probe: MemberProbe
    /// What it turned out to be, if it is no object.
    var simple: MemberProbe.Kind?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(probe: MemberProbe) { self.probe = probe }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members<Key>(source: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(source: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { Simple(source: self) }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: Source
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (value, kind) = try MemberProbe.sample(of: type, name: key.stringValue)
        source.probe.add(key.stringValue, kind, isOptional: false)
        return value
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let (value, kind) = try MemberProbe.sample(of: type, name: key.stringValue)
        source.probe.add(key.stringValue, kind, isOptional: true)
        return MemberProbe.alternatives.contains(key.stringValue) ? nil : value
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(key) }

    private func optional<Value: Decodable>(_ key: Key) throws -> Value? {
        let (value, kind) = try MemberProbe.sample(of: Value.self, name: key.stringValue)
        source.probe.add(key.stringValue, kind, isOptional: true)
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let probe = MemberProbe()
        source.probe.add(key.stringValue, .object(probe), isOptional: false)
        return KeyedDecodingContainer(Members<Nested>(source: Source(probe: probe)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw MemberProbe.Mismatch(description: "a nested list, \(key.stringValue)")
    }
    func superDecoder() throws -> any Decoder { source }
    func superDecoder(forKey key: Key) throws -> any Decoder { source }
}

/// A list with one element.
private final class Elements: UnkeyedDecodingContainer {
    private let source: Source
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    private(set) var currentIndex = 0

    init(source: Source) { self.source = source }

    var isAtEnd: Bool { currentIndex > 0 }
    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, kind) = try MemberProbe.sample(of: type)
        source.simple = .list(kind)
        currentIndex += 1
        return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        throw MemberProbe.Mismatch(description: "an object in a list")
    }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw MemberProbe.Mismatch(description: "a list in a list")
    }
    func superDecoder() throws -> any Decoder { source }
}

private struct Simple: SingleValueDecodingContainer {
    let source: Source
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    private func simple<Value>(_ value: Value, _ kind: MemberProbe.Kind) -> Value {
        source.simple = kind
        return value
    }

    func decode(_ type: Bool.Type) -> Bool { simple(true, .bool) }
    func decode(_ type: String.Type) -> String { simple(MemberProbe.text, .string) }
    func decode(_ type: Double.Type) -> Double { simple(1.5, .float) }
    func decode(_ type: Float.Type) -> Float { simple(1.5, .float) }
    func decode(_ type: Int.Type) -> Int { simple(1, .int) }
    func decode(_ type: Int8.Type) -> Int8 { simple(1, .int) }
    func decode(_ type: Int16.Type) -> Int16 { simple(1, .int) }
    func decode(_ type: Int32.Type) -> Int32 { simple(1, .int) }
    func decode(_ type: Int64.Type) -> Int64 { simple(1, .int) }
    func decode(_ type: UInt.Type) -> UInt { simple(1, .int) }
    func decode(_ type: UInt8.Type) -> UInt8 { simple(1, .int) }
    func decode(_ type: UInt16.Type) -> UInt16 { simple(1, .int) }
    func decode(_ type: UInt32.Type) -> UInt32 { simple(1, .int) }
    func decode(_ type: UInt64.Type) -> UInt64 { simple(1, .int) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, kind) = try MemberProbe.sample(of: type)
        if case .object = kind {} else { source.simple = kind }
        return value
    }
}
