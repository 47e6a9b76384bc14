import NIOCore

extension LocationService {
    /// Does what may wait beside the event loop, on the threads that the program has for its tasks.
    func future<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> EventLoopFuture<Value> {
        let promise = loop.makePromise(of: Value.self)
        Task(executorPreference: hooks.tasks) {
            do {
                promise.succeed(try await body())
            } catch {
                promise.fail(error)
            }
        }
        return promise.futureResult
    }
}
