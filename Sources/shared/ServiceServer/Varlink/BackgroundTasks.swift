import NIOCore

/// Runs work off the event loop and returns the results to it.
///
/// Ownership: everything here belongs to the event loop.
package final class BackgroundTasks {
    private let loop: ServiceLoop
    /// The number of running tasks.
    package private(set) var count = 0
    private var allEnded: LoopSignal<Bool>?

    package init(on loop: ServiceLoop) { self.loop = loop }

    /// Runs the body on other threads.
    ///
    /// - Parameters:
    ///   - threads: the executor; `nil` for the runtime's own.
    ///   - completion: called on the event loop.
    package func run<Value: Sendable>(
        on threads: (any TaskExecutor)?, _ body: @escaping @Sendable () async throws -> Value,
        completion: @escaping (Result<Value, any Error>) -> Void
    ) {
        let promise = loop.eventLoop.makePromise(of: Value.self)
        count += 1
        promise.futureResult.assumeIsolated().whenComplete { [weak self, loop] result in
            completion(result)
            // Deferred, because the completion may start another task.
            loop.enqueue { self?.taskEnded() }
        }
        Task(executorPreference: threads) {
            do {
                promise.succeed(try await body())
            } catch {
                promise.fail(error)
            }
        }
    }

    private func taskEnded() {
        count -= 1
        if count == 0 { allEnded?.send(true) }
    }

    /// - Returns: a signal with true once no task is left, false if the time is over. The event loop must outlive all
    ///   tasks, because it receives their results.
    package func end(within seconds: Double) -> LoopSignal<Bool> {
        let ended = loop.signal(of: Bool.self)
        allEnded = ended
        if count == 0 { ended.send(true) }
        loop.schedule(after: seconds) { ended.send(false) }
        return ended
    }
}
