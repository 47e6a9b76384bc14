/// An enumeration that is sent by name and may gain cases.
///
/// A peer of a later version may send a name this version does not know; it decodes as ``unknown`` instead of
/// failing the whole message. Nothing encodes `unknown` on purpose.
public protocol OpenEnumeration: RawRepresentable, Hashable, Sendable, Codable where RawValue == String {
    /// What a name of a later version decodes as.
    static var unknown: Self { get }
}

extension OpenEnumeration {
    /// Decodes a name; one that is not known becomes ``unknown``.
    public init(from decoder: any Decoder) throws {
        self = try Self(rawValue: decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

/// An enumeration of what a client asks: a name that is not known is refused, with those that are.
public protocol ClosedEnumeration: RawRepresentable, CaseIterable, Hashable, Sendable, Codable
where RawValue == String {}

extension ClosedEnumeration {
    /// Decodes a name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "one of \(Self.names)")
        }
        self = value
    }

    /// All names, for people.
    @_spi(Programs) public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
