import Foundation

enum JSON {
    /// What is left of a value that was written and read again.
    static func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }
}
