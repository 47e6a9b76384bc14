package import GRDB

/// GRDB's own asynchronous calls end where their task is cancelled, with `CancellationError`, whether or not the change
/// is in the file by then: a program that is about to end could not tell what it has kept.
extension DatabaseWriter {
    /// Does something with the database to its end, outside of a transaction.
    package func uninterrupted<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            asyncWriteWithoutTransaction { database in continuation.resume(with: Result { try body(database) }) }
        }
    }

    /// Writes to the end, in a transaction.
    package func uninterruptedWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            asyncWrite(body) { continuation.resume(with: $1) }
        }
    }
}
