import Foundation

/// Runs blocking work on a thread of its own: Swift's tasks share the threads of Dispatch's queues on Linux, and would
/// wait for it there.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: .init(catching: work)) }
    }
}
