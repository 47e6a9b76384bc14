/// What a client asks of the location service: the parameters of one method, with the wire's names.
///
/// The client library, the wire, the service and `locctl` share these types.
public protocol ClientRequest: Codable, Sendable, Hashable {
    /// Checks every member.
    ///
    /// - Throws: the first member that the service does not accept.
    func validate() throws(InvalidField)
}

extension ClientRequest {
    /// Returns the request itself after checking every member.
    ///
    /// - Throws: the first member that the service does not accept.
    public func validated() throws(InvalidField) -> Self {
        try validate()
        return self
    }
}

/// A member of a value that is not acceptable.
public struct InvalidField: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its name on the wire, such as `distanceFilter` or `regions[2].identifier`.
    public let field: String
    /// What it has to be.
    public let reason: String

    @_spi(Programs) public init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }

    /// Both in words.
    public var description: String { "\(field) \(reason)" }

    /// A number that is 0 or more, if there is one.
    static func checkNotNegative(_ value: Double?, _ field: String, _ unit: String) throws(InvalidField) {
        guard let value else { return }
        guard value.isFinite, value >= 0 else { throw InvalidField(field, "\(unit), 0 or more") }
    }

    /// Checks a number that has to be more than 0.
    static func checkPositive(_ value: Double?, _ field: String, _ unit: String) throws(InvalidField) {
        guard let value else { return }
        guard value.isFinite, value > 0 else { throw InvalidField(field, "\(unit), more than 0") }
    }

    /// Checks a client's stated purpose for its use of locations.
    @_spi(Programs) public static func checkPurpose(_ purpose: String?) throws(InvalidField) {
        guard let purpose, purpose.utf8.count > purposeLimit else { return }
        throw InvalidField("purpose", "at most \(purposeLimit) bytes")
    }

    /// The longest purpose, bytes of UTF-8.
    @_spi(Programs) public static let purposeLimit = 256

    /// Checks the name and version that a client states for its library.
    @_spi(Programs) public static func checkLibrary(_ library: String?) throws(InvalidField) {
        guard let library, !(1...libraryLimit).contains(library.utf8.count) else { return }
        throw InvalidField("library", "1 to \(libraryLimit) bytes")
    }

    /// The longest name and version of a library, bytes of UTF-8.
    @_spi(Programs) public static let libraryLimit = 64
}

/// An option that is off unless switched on; the wire leaves it out while it is off.
@propertyWrapper public struct OffByDefault: Codable, Sendable, Hashable {
    /// Whether the option is on.
    public var wrappedValue: Bool

    /// An option that is off.
    public init(wrappedValue: Bool = false) { self.wrappedValue = wrappedValue }
}

/// An option that is on unless switched off; the wire leaves it out while it is on.
@propertyWrapper public struct OnByDefault: Codable, Sendable, Hashable {
    /// Whether the option is on.
    public var wrappedValue: Bool

    /// An option that is on.
    public init(wrappedValue: Bool = true) { self.wrappedValue = wrappedValue }
}

// The synthesized coding of a request prefers these to the general methods of the same names.
extension KeyedDecodingContainer {
    func decode(_ type: OffByDefault.Type, forKey key: Key) throws -> OffByDefault {
        OffByDefault(wrappedValue: try decodeIfPresent(Bool.self, forKey: key) ?? false)
    }

    func decode(_ type: OnByDefault.Type, forKey key: Key) throws -> OnByDefault {
        OnByDefault(wrappedValue: try decodeIfPresent(Bool.self, forKey: key) ?? true)
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ option: OffByDefault, forKey key: Key) throws {
        try encodeIfPresent(option.wrappedValue ? true : nil, forKey: key)
    }

    mutating func encode(_ option: OnByDefault, forKey key: Key) throws {
        try encodeIfPresent(option.wrappedValue ? nil : false, forKey: key)
    }
}
