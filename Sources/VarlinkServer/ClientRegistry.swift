package import Varlink

/// A client of a program that serves Varlink, from its connection on.
package protocol RegisteredClient: AnyObject {
    var connection: Connection { get }
    var caller: UserLimits.Caller { get }
    /// The answer to its first call, if it is over a limit.
    var refusal: ErrorReply? { get }
}

/// The connections of a program that serves Varlink: which client each is, what its user may take up, and when the last
/// one is gone. One piece of code for every such program.
///
/// Ownership: everything here belongs to the event loop of the connections.
package final class ClientRegistry<Client: RegisteredClient> {
    package let limits: UserLimits
    private let loop: ServiceLoop
    /// Those that are refused are among them until they have been told.
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
        if !client.caller.isExempt { client.connection.takeTurns(by: limits.scheduler, as: client.caller.uid) }
        clients[ObjectIdentifier(client.connection)] = client
    }

    /// The connection is closed; its client gives back its place.
    package func remove(_ connection: Connection) -> Client? {
        guard let client = clients.removeValue(forKey: ObjectIdentifier(connection)) else { return nil }
        if client.refusal == nil { limits.leave(client.caller) }
        if clients.isEmpty { allGone?.send(()) }
        return client
    }

    package enum Admission {
        case admitted
        /// It was refused as it connected; it has been told so, and its connection ends.
        case refused
        /// Its user makes too many calls; the call is to be answered with an error.
        case tooManyCalls
    }

    /// Whether a call may be served.
    package func admit(_ call: Call, of client: Client) -> Admission {
        if let refusal = client.refusal {
            client.connection.fail(refusal)
            client.connection.closeGracefully()
            return .refused
        }
        return limits.admit(call, of: client.caller, on: client.connection) ? .admitted : .tooManyCalls
    }

    /// Ends every connection once it has been read.
    ///
    /// - Returns: when the last one is gone, or the time is over.
    package func closeAll(within seconds: Double) -> LoopSignal<Void> {
        let gone = loop.signal(of: Void.self)
        for client in clients.values { client.connection.closeGracefully(within: .init(seconds: seconds)) }
        allGone = gone
        if clients.isEmpty { gone.send(()) }
        loop.schedule(after: seconds) { gone.send(()) }
        return gone
    }
}
