@_spi(Programs) package import LocationInterface
import NIOCore
import NIOPosix
package import Varlink

/// One call of a service, for tasks.
package enum DaemonCall {
    /// Why there is no reply, in words.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// Whether nobody is there, or the connection ends before the reply.
        package var isUnreachable = false
        /// The error by which the daemon refuses.
        package var refusal: Reply?

        package init(description: String, isUnreachable: Bool = false) {
            (self.description, self.isUnreachable) = (description, isUnreachable)
        }
    }

    /// Calls the daemon on behalf of a program.
    ///
    /// - Parameter seconds: the time that the reply may take.
    /// - Returns: the reply, which may be an error.
    package static func reply(
        to method: String, _ request: some Encodable, for program: ServedProgram, at daemon: String,
        within seconds: Double = 5
    ) async throws(Failure) -> Reply {
        guard let call = try? MessageEncoder().call(method, ServedRequest(request: request, program: program)) else {
            throw Failure(description: "the request has a number that is not finite")
        }
        let promise = pool.eventLoop.makePromise(of: Reply.self)
        pool.eventLoop.execute {
            let calls = pool.value ?? DaemonCallPool(on: pool.eventLoop)
            pool.value = calls
            let cancel = calls.call(call, for: program, at: daemon, mayRepeat: repeatable.contains(method)) { result in
                promise.completeWith(result.mapError { $0 })
            }
            let timeout = pool.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
                cancel()
                promise.fail(Failure(description: "the service does not answer"))
            }
            promise.futureResult.assumeIsolated().whenComplete { _ in timeout.cancel() }
        }
        do {
            return try await promise.futureResult.get()
        } catch {
            throw error as? Failure ?? Failure(description: "\(error)")
        }
    }

    /// The connections of ``reply(to:_:for:at:within:)``, all on one loop.
    private static let pool = NIOLoopBoundBox.makeEmptyBox(
        valueType: DaemonCallPool.self, eventLoop: MultiThreadedEventLoopGroup.singleton.next())

    /// Methods that change nothing.
    private static let repeatable: Set<String> = [
        LocationInterface.Method.getStatus, LocationInterface.Method.getLocation, LocationInterface.Method.listMonitors,
        LocationInterface.Method.listReceivers,
    ]

    /// Makes a call, and collects its replies up to the last.
    ///
    /// - Parameters:
    ///   - call: the message.
    ///   - limit: the most replies.
    package static func replies(
        to call: [UInt8], at path: String, within seconds: Double, limit: Int = 1
    ) async throws(Failure) -> [Reply] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [Reply].self)
        loop.execute {
            var replies: [Reply] = []
            let connection = DaemonConnection(to: path, on: loop, call: call) { input in
                switch input {
                case .reply(let reply):
                    replies.append(reply)
                    if !reply.continues {
                        promise.succeed(replies)
                    } else if replies.count >= limit {
                        promise.fail(Failure(description: "the answer is too long; ask for less"))
                    }
                case .update: promise.fail(Failure(description: "the service sends what is no answer"))
                case .ended(let reason): promise.fail(Failure(description: reason, isUnreachable: true))
                }
            }
            let timeout = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
                promise.fail(Failure(description: "the service does not answer"))
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
