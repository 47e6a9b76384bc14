import FoundationEssentials

/// JSON for pages.
enum WebJSON {
    static func bytes(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map(Array.init)
    }

    static func text(_ value: some Encodable) -> String? { bytes(value).map { String(decoding: $0, as: UTF8.self) } }

    /// - Returns: `nil` if the bytes are no such value.
    static func value<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }
}
