package import LocationInterface
import NIOCore
import NIOPosix
package import Varlink

/// One call of the daemon on behalf of a program, for tasks.
package enum DaemonCall {
    /// Why there is no reply, in words.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter seconds: the time that the reply may take.
    /// - Returns: the reply, which may be an error.
    package static func reply(
        to method: String, _ request: some Encodable, for program: ServedProgram, at daemon: String,
        within seconds: Double = 5
    ) async throws(Failure) -> Reply {
        guard let call = try? MessageEncoder().call(method, ServedRequest(request: request, program: program)) else {
            throw Failure(description: "the request has a number that is not finite")
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Reply.self)
        loop.execute {
            let connection = DaemonConnection(to: daemon, on: loop, call: call) { input in
                switch input {
                case .reply(let reply): promise.succeed(reply)
                case .update: promise.fail(Failure(description: "locationd sends what is no answer"))
                case .ended(let reason): promise.fail(Failure(description: reason))
                }
            }
            let timeout = loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
                promise.fail(Failure(description: "locationd does not answer"))
            }
            promise.futureResult.assumeIsolated().whenComplete { _ in
                timeout.cancel()
                connection.close()
            }
        }
        do {
            return try await promise.futureResult.get()
        } catch {
            throw error as? Failure ?? Failure(description: "\(error)")
        }
    }
}
