import FoundationEssentials

/// One reply as a client receives it.
public struct Reply: Sendable {
    /// The error's full name, if the call failed.
    public let error: String?
    /// True if more replies to the same call follow.
    public let continues: Bool
    private let bytes: [UInt8]

    private struct Envelope: Decodable {
        let error: String?
        let continues: Bool?
    }

    private struct Parameters<Value: Decodable>: Decodable {
        let parameters: Value?
    }

    /// Reads one message (without its NUL).
    ///
    /// - Throws: a `DecodingError` if it is no JSON object, or has too many values.
    public init(_ bytes: [UInt8]) throws {
        guard Self.hasFewValues(bytes) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "it has too many values"))
        }
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(bytes))
        error = envelope.error
        continues = envelope.continues ?? false
        self.bytes = bytes
    }

    /// Whether a decoder takes little memory beside the message's own: it makes tens of bytes of each value, whether
    /// the value is asked for or not, before anything can be looked at.
    ///
    /// Any message may have 24,576 values, and one for each 16 bytes beside, which the longest lists of the interfaces
    /// have. A value is the first of an object or array, or stands after a comma; those in strings are counted too.
    private static func hasFewValues(_ bytes: [UInt8]) -> Bool {
        let limit = 24_576 + bytes.count / 16
        guard bytes.count > limit else { return true }
        var count = 0
        for byte in bytes where byte == UInt8(ascii: ",") || byte | 0x20 == UInt8(ascii: "{") { count += 1 }
        return count <= limit
    }

    /// The parameters; absent ones count as an empty object.
    ///
    /// - Throws: a `DecodingError` if they do not match the type.
    public func parameters<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        if let value = try decoder.decode(Parameters<Value>.self, from: Data(bytes)).parameters { return value }
        return try decoder.decode(Value.self, from: Data("{}".utf8))
    }
}
