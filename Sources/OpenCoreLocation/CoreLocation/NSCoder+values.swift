import Foundation

/// How the objects of this module go into archives: as one property list, which is read without any trap.
extension NSCoder {
    func encode(values: some Encodable, forKey key: String = "values") {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // Numbers, texts and dates always make a property list; without one the object cannot be read back.
        guard let data = try? encoder.encode(values) else { return }
        encode(data as NSData, forKey: key)
    }

    /// - Returns: `nil` if the archive holds something else.
    func decodeValues<Values: Decodable>(_ type: Values.Type, forKey key: String = "values") -> Values? {
        // A missing value is an error of the coder, which may end the program.
        guard containsValue(forKey: key), let data = decodeObject(of: NSData.self, forKey: key) else { return nil }
        return try? PropertyListDecoder().decode(type, from: data as Data)
    }
}
