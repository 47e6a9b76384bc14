import NIOCore
import NIOPosix
package import Varlink

/// The replies of one call, for a task that takes them one after another.
///
/// While nobody waits for the next one, nothing more is read from the service, which then waits, too: so at most what
/// one read brings is in memory, however slowly the replies are taken.
package final class ReplyStream: Sendable {
    private let queue: NIOLoopBound<ReplyQueue>
    private let eventLoop: any EventLoop

    private init(_ queue: NIOLoopBound<ReplyQueue>, _ eventLoop: any EventLoop) {
        (self.queue, self.eventLoop) = (queue, eventLoop)
    }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - call: the message.
    ///   - seconds: the time that each reply may take from when it is waited for.
    package static func open(_ call: [UInt8], at path: String, within seconds: Double) async throws -> ReplyStream {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let queue = try await eventLoop.submit {
            NIOLoopBound(ReplyQueue(call, at: path, within: seconds, on: eventLoop), eventLoop: eventLoop)
        }.get()
        return ReplyStream(queue, eventLoop)
    }

    /// Waits for the next reply, which may be an error; one call at a time.
    ///
    /// - Returns: `nil` after the last one.
    package func next() async throws(DaemonCall.Failure) -> Reply? {
        do {
            return try await eventLoop.flatSubmit { [queue] in queue.value.next() }.get()
        } catch {
            throw error as? DaemonCall.Failure ?? DaemonCall.Failure(description: "\(error)")
        }
    }

    /// Ends the call; ``next()`` fails from now on.
    package func close() { eventLoop.execute { [queue] in queue.value.close() } }
}

/// Ownership: everything belongs to the event loop.
private final class ReplyQueue {
    private typealias Failure = DaemonCall.Failure

    private let eventLoop: any EventLoop
    private let patience: TimeAmount
    private var connection: DaemonConnection?
    /// Replies that have come and are not taken.
    private var replies: CircularBuffer<Reply> = []
    private var waiter: EventLoopPromise<Reply?>?
    private var timeout: Scheduled<Void>?
    /// Set when nothing more comes: `nil` within it after the last reply.
    private var end: Failure??

    init(_ call: [UInt8], at path: String, within seconds: Double, on eventLoop: any EventLoop) {
        (self.eventLoop, patience) = (eventLoop, .nanoseconds(Int64(seconds * 1e9)))
        connection = DaemonConnection(to: path, on: eventLoop, call: call) { [weak self] input in
            switch input {
            case .reply(let reply): self?.receive(reply)
            case .update: self?.finish(Failure(description: "the service sends what is no answer"))
            case .ended(let reason): self?.finish(Failure(description: reason, isUnreachable: true))
            }
        }
    }

    func next() -> EventLoopFuture<Reply?> {
        if let reply = replies.popFirst() { return eventLoop.makeSucceededFuture(reply) }
        if let end {
            return end.map { eventLoop.makeFailedFuture($0) } ?? eventLoop.makeSucceededFuture(nil)
        }
        let promise = eventLoop.makePromise(of: Reply?.self)
        waiter = promise
        timeout = eventLoop.assumeIsolated().scheduleTask(in: patience) { [weak self] in
            self?.finish(Failure(description: "the service does not answer"))
        }
        connection?.setReading(true)
        return promise.futureResult
    }

    func close() { finish(Failure(description: "the call was given up")) }

    private func receive(_ reply: Reply) {
        guard end == nil else { return }
        if !reply.continues {
            end = .some(nil)
            connection?.close()
            connection = nil
        }
        guard let waiter else {
            replies.append(reply)
            connection?.setReading(false)
            return
        }
        stopWaiting()
        waiter.succeed(reply)
    }

    private func finish(_ failure: Failure) {
        connection?.close()
        connection = nil
        guard end == nil else { return }
        end = failure
        guard let waiter else { return }
        stopWaiting()
        waiter.fail(failure)
    }

    private func stopWaiting() {
        timeout?.cancel()
        (waiter, timeout) = (nil, nil)
    }
}
