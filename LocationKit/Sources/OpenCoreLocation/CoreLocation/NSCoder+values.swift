import Foundation

/// Archives the values of this module's objects as one property list, which can be read without a trap.
extension NSCoder {
    func encode(values: some Encodable, forKey key: String = "values") {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // Numbers, texts and dates always encode as a property list. Without one the object cannot be read back.
        guard let data = try? encoder.encode(values) else { return }
        encode(data as NSData, forKey: key)
    }

    /// - Returns: `nil` if the archive holds anything else.
    func decodeValues<Values: Decodable>(_ type: Values.Type, forKey key: String = "values") -> Values? {
        // Decoding a missing value is an error of the coder, which may end the program.
        guard containsValue(forKey: key), let data = decodeObject(of: NSData.self, forKey: key) else { return nil }
        return try? PropertyListDecoder().decode(type, from: data as Data)
    }
}
