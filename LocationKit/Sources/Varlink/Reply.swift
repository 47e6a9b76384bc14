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
    /// - Throws: a `DecodingError` if it is no JSON object.
    public init(_ bytes: [UInt8]) throws {
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(bytes))
        error = envelope.error
        continues = envelope.continues ?? false
        self.bytes = bytes
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
