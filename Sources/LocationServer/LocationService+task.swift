import NIOCore

extension LocationService {
    /// Does what may wait for a disk or a directory service beside the event loop, on the threads that the program has
    /// for that.
    func future<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> EventLoopFuture<Value> {
        future(on: hooks.waitingTasks, body)
    }

    /// Does what would hold the event loop up on other threads.
    func future<Value: Sendable>(
        on threads: (any TaskExecutor)?, _ body: @escaping @Sendable () async throws -> Value
    ) -> EventLoopFuture<Value> {
        let promise = loop.makePromise(of: Value.self)
        openTasks += 1
        // After those who wait for it, for they may begin another.
        promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in
            self?.loop.assumeIsolated().execute { self?.taskEnded() }
        }
        Task(executorPreference: threads) {
            do {
                promise.succeed(try await body())
            } catch {
                promise.fail(error)
            }
        }
        return promise.futureResult
    }

    private func taskEnded() {
        openTasks -= 1
        if openTasks == 0 { allTasksEnded?.succeed(true) }
    }

    /// What a task tells must find the event loop.
    ///
    /// - Returns: true once no task is left, false if the time is over.
    func tasksEnd(within patience: TimeAmount) -> EventLoopFuture<Bool> {
        let ended = loop.makePromise(of: Bool.self)
        allTasksEnded = ended
        if openTasks == 0 { ended.succeed(true) }
        loop.scheduleTask(in: patience) { ended.succeed(false) }
        return ended.futureResult
    }
}
