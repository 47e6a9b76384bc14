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
