import FoundationEssentials

/// Encodes values as messages: JSON with sorted keys, terminated by NUL.
public struct MessageEncoder: Sendable {
    private let encoder: JSONEncoder

    /// An encoder of messages.
    public init() {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    private struct Reply<Value: Encodable>: Encodable {
        let parameters: Value
        var continues: Bool?
        var error: String?
    }

    private struct Request<Value: Encodable>: Encodable {
        let method: String
        let parameters: Value
        var more: Bool?
        var oneway: Bool?
    }

    /// - Throws: `EncodingError` if a number is not finite.
    public func reply(_ parameters: some Encodable, continues: Bool = false) throws -> [UInt8] {
        try message(Reply(parameters: parameters, continues: continues ? true : nil))
    }

    /// The message of an error. Parameters that cannot be encoded are left out.
    public func error(_ error: ErrorReply) -> [UInt8] {
        func encoded(_ parameters: some Encodable) -> [UInt8]? {
            try? message(Reply(parameters: parameters, error: error.name))
        }
        return encoded(error.parameters) ?? Array("{\"error\":\"\(error.name)\",\"parameters\":{}}\0".utf8)
    }

    /// - Throws: `EncodingError` if a number is not finite.
    public func call(
        _ method: String, _ parameters: some Encodable, more: Bool = false, oneway: Bool = false
    ) throws -> [UInt8] {
        try message(
            Request(method: method, parameters: parameters, more: more ? true : nil, oneway: oneway ? true : nil))
    }

    private func message(_ value: some Encodable) throws -> [UInt8] {
        var bytes = Array(try encoder.encode(value))
        bytes.append(0)
        return bytes
    }
}
