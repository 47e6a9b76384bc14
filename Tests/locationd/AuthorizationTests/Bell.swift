import ProgramTestSupport
import Synchronization

/// Waits for what another thread tells.
final class Bell: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let tally = Mutex(0)

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var count: Int { tally.withLock { $0 } }

    func ring() {
        tally.withLock { $0 += 1 }
        continuation.yield()
    }

    /// Waits for a ring after which the condition holds; rings from before the call count too.
    func wait(until holds: () -> Bool = { true }) async throws {
        for await _ in stream where holds() { return }
        throw Failure("never told")
    }
}
