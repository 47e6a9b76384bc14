package import Varlink

/// A connected client of a Varlink server.
package protocol RegisteredClient: AnyObject {
    var connection: Connection { get }
    var caller: UserLimits.Caller { get }
    /// The error that answers its first call, if the client is over a limit.
    var refusal: ErrorReply? { get }
}

/// The connections of a Varlink server: maps connections to clients, counts them against the limits of their users, and
/// reports when the last one is closed.
///
/// Ownership: everything here belongs to the event loop of the connections.
package final class ClientRegistry<Client: RegisteredClient> {
    package let limits: UserLimits
    private let loop: ServiceLoop
    /// Includes refused clients until they have been sent the error.
    private var clients: [ObjectIdentifier: Client] = [:]
    private var allGone: LoopSignal<Void>?

    package init(_ limits: UserLimits, on loop: ServiceLoop) {
        self.limits = limits
        self.loop = loop
    }

    package var all: some Collection<Client> { clients.values }
    package var isEmpty: Bool { clients.isEmpty }
    package var count: Int { clients.count }

    package func client(of connection: Connection) -> Client? { clients[ObjectIdentifier(connection)] }

    /// Registers a client that ``UserLimits/enter(_:isTooFast:)`` has admitted or refused.
    package func add(_ client: Client) {
        if client.refusal != nil { limits.leaveRefused(client.caller, client.connection) }
        if !client.caller.isExempt { client.connection.scheduleCalls(by: limits.scheduler, as: client.caller.uid) }
        clients[ObjectIdentifier(client.connection)] = client
    }

    /// Removes the client of a closed connection and frees its place.
    package func remove(_ connection: Connection) -> Client? {
        guard let client = clients.removeValue(forKey: ObjectIdentifier(connection)) else { return nil }
        if client.refusal == nil { limits.leave(client.caller) }
        if clients.isEmpty { allGone?.send(()) }
        return client
    }

    package enum Admission {
        case admitted
        /// The client was refused when it connected; it has been sent the error, and its connection ends.
        case refused
        /// Its user makes too many calls; the call is to be answered with an error.
        case tooManyCalls
    }

    /// Whether a call may be served.
    ///
    /// - Parameters:
    ///   - caller: whose limits count, if not those of the client's own user.
    ///   - spends: whether the call is counted against the limits.
    package func admit(
        _ call: Call, of client: Client, as caller: UserLimits.Caller? = nil, spends: Bool = true
    ) -> Admission {
        if let refusal = client.refusal {
            client.connection.fail(refusal)
            client.connection.closeGracefully()
            return .refused
        }
        guard spends else { return .admitted }
        return limits.admit(call, of: caller ?? client.caller, on: client.connection) ? .admitted : .tooManyCalls
    }

    /// Closes every connection once its client has read everything.
    ///
    /// - Returns: a signal for when the last connection is closed, or when the time is over.
    package func closeAll(within seconds: Double) -> LoopSignal<Void> {
        let gone = loop.signal(of: Void.self)
        for client in clients.values { client.connection.closeGracefully(within: .init(seconds: seconds)) }
        allGone = gone
        if clients.isEmpty { gone.send(()) }
        loop.schedule(after: seconds) { gone.send(()) }
        return gone
    }
}
