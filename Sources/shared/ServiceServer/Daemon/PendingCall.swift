package import NIOCore
package import Varlink

/// One call of a service, on an event loop: its reply, or why there is none in time.
///
/// Ownership: everything belongs to the event loop. It exists until then, also without an owner.
package final class PendingCall {
    private var connection: DaemonConnection?
    private var timeout: Scheduled<Void>?
    private var receive: ((Result<Reply, DaemonCall.Failure>) -> Void)?

    /// - Parameters:
    ///   - call: the message.
    ///   - receive: called once, with a reply that may be an error, unless the call is cancelled; never before this
    ///     returns.
    @discardableResult
    package init(
        _ call: [UInt8], at path: String, within time: TimeAmount, on eventLoop: any EventLoop,
        receive: @escaping (Result<Reply, DaemonCall.Failure>) -> Void
    ) {
        self.receive = receive
        connection = DaemonConnection(to: path, on: eventLoop, call: call) { [self] input in
            switch input {
            case .reply(let reply): finish(.success(reply))
            case .update: finish(.failure(DaemonCall.Failure(description: "the service sends what is no answer")))
            case .ended(let reason): finish(.failure(DaemonCall.Failure(description: reason, isUnreachable: true)))
            }
        }
        timeout = eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            finish(.failure(DaemonCall.Failure(description: "the service does not answer")))
        }
    }

    private func finish(_ result: Result<Reply, DaemonCall.Failure>) {
        let receive = receive
        cancel()
        receive?(result)
    }

    package func cancel() {
        receive = nil
        timeout?.cancel()
        connection?.close()
        connection = nil
    }
}
