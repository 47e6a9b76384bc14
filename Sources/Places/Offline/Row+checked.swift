internal import FoundationEssentials
internal import GRDB

/// Checked conversions: GRDB's own trap at a value of another type, which a damaged file may contain.
extension Row {
    func integer(_ column: Int) throws -> Int64 {
        guard case .int64(let value) = value(column) else { throw Unusable("is damaged: a number is missing") }
        return value
    }

    func text(_ column: Int) throws -> String {
        guard case .string(let value) = value(column) else { throw Unusable("is damaged: a text is missing") }
        return value
    }

    func bytes(_ column: Int) throws -> Data {
        guard case .blob(let value) = value(column) else { throw Unusable("is damaged: bytes are missing") }
        return value
    }

    /// `nil` if the value is not text.
    func optionalText(_ column: Int) -> String? {
        guard case .string(let value) = value(column) else { return nil }
        return value
    }

    private func value(_ column: Int) -> DatabaseValue.Storage {
        (self[column] as DatabaseValue).storage
    }
}
