package import FoundationEssentials
package import GRDB

/// A value of another type than the table's, as a damaged file may contain.
package struct DamagedValue: Error, CustomStringConvertible {
    /// What is missing, in words.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Checked conversions: GRDB's own trap at a value of another type.
extension Row {
    package func integer(_ column: Int) throws -> Int64 {
        guard case .int64(let value) = value(column) else { throw DamagedValue("a number is missing") }
        return value
    }

    package func number(_ column: Int) throws -> Double {
        guard let value = try optionalNumber(column) else { throw DamagedValue("a number is missing") }
        return value
    }

    package func text(_ column: Int) throws -> String {
        guard case .string(let value) = value(column) else { throw DamagedValue("a text is missing") }
        return value
    }

    package func bytes(_ column: Int) throws -> Data {
        guard case .blob(let value) = value(column) else { throw DamagedValue("bytes are missing") }
        return value
    }

    /// `nil` if the value is not text.
    package func optionalText(_ column: Int) -> String? {
        guard case .string(let value) = value(column) else { return nil }
        return value
    }

    /// `nil` if there is none.
    package func optionalNumber(_ column: Int) throws -> Double? {
        switch value(column) {
        case .double(let value): return value
        case .int64(let value): return Double(value)
        case .null: return nil
        default: throw DamagedValue("a number is missing")
        }
    }

    private func value(_ column: Int) -> DatabaseValue.Storage {
        (self[column] as DatabaseValue).storage
    }
}
