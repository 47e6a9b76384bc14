package import Varlink

/// What a service answers; the connections, the limits and the order of calls are ``CallServer``'s.
package protocol CallAnswerer: Sendable {
    associatedtype Request: Sendable

    var description: ServiceDescription { get }

    /// The name of the service's own interface, which has the errors `Busy`, with the `limit`, and `Cancelled`.
    var interface: String { get }

    /// Who may name the user on whose behalf a call is, in the parameter `user`; others are refused if they do. `nil`
    /// if the interface has no such parameter.
    var trustedCallers: TrustedCallers? { get }

    /// Validates a call; called on the event loop, for calls of an interface of ``description``.
    func request(_ call: Call) throws(ErrorReply) -> Request

    /// Answers a request, in a task of its own that is cancelled when the client has gone.
    ///
    /// - Parameters:
    ///   - uid: the calling user, also where the call names another.
    ///   - replies: takes replies before the last one, for a call with `more`.
    /// - Returns: the last reply.
    func answer(
        _ request: Request, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable
}

extension CallAnswerer {
    package var trustedCallers: TrustedCallers? { nil }

    /// The error for a call over a limit.
    func busy(limit: Int) -> ErrorReply { ErrorReply("\(interface).Busy", parameters: BusyParameters(limit: limit)) }

    /// The error for a call that waits while the service ends.
    package var cancelled: ErrorReply { ErrorReply("\(interface).Cancelled") }
}

private struct BusyParameters: Encodable { let limit: Int }

/// Sends the replies of one call that are followed by others.
package struct CallReplies: Sendable {
    let send: @Sendable (any Encodable & Sendable) async throws(CancellationError) -> Void

    /// Sends a reply, and waits until the client can take the next.
    ///
    /// - Throws: if the client has gone.
    package func send(_ reply: some Encodable & Sendable) async throws(CancellationError) { try await send(reply) }
}
