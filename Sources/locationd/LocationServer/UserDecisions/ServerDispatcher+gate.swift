import Authorization
@_spi(Programs) import LocationInterface
import Polkit
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// A question that polkit has.
struct GateQuestion {
    let action: PolkitAction
    /// Ends the wait for the answer.
    let waker: Waker

    func withdraw() { waker.wake() }

    /// Withdraws it if a user wants to let its own programs know the position.
    func withdrawOwn() {
        if action == .decideOwn || action == .decideOwnRoughly { withdraw() }
    }
}

/// Calls that polkit is asked about. It is asked only while the policy has `[users-decide]`, and never for a location.
extension ServerDispatcher {
    /// The most users whose questions polkit has at a time.
    private static let questionLimit = 16

    /// Whether a call of an administrator's method on the socket for everyone is served, if polkit agrees.
    func isGated(_ call: Call) -> Bool {
        environment.gate != nil && !settings.policy.ceilings.isEmpty && Self.action(of: call) != nil
    }

    private static func action(of call: Call) -> PolkitAction? {
        AdminInterface.gate(of: call.method).map { gate in
            switch gate {
            case .decide: .decide
            case .administer: .administer
            }
        }
    }

    func administerByGate(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: TokenParameters.self)
        // A service that means to administer for its user does not do so as itself by mistake.
        guard parameters.onBehalfOf == nil, parameters.token == nil else { throw .interfaceNotFound(call.interface) }
        let action = try admitGated(call, of: client)
        try pass(action, for: client) { service throws(ErrorReply) in
            // The policy may have changed while polkit and the person took their time.
            _ = try service.admitGated(call, of: client)
            client.isGated = !service.settings.policy.mayAdminister(client.principal)
            try service.serveAdmin(call, from: client)
        }
    }

    private func admitGated(_ call: Call, of client: ServerClient) throws(ErrorReply) -> PolkitAction {
        guard isGated(call), let action = Self.action(of: call) else { throw .interfaceNotFound(call.interface) }
        // Whom the policy forbids the position administers nothing by a password either.
        guard settings.policy.rule(for: client.principal).outcome != .restricted else { throw .permissionDenied }
        return action
    }

    /// Goes on if the client may do it: administrators at once, others when polkit agrees.
    func pass(
        _ action: PolkitAction, for client: ServerClient,
        then body: @escaping (ServerDispatcher) throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        if settings.policy.mayAdminister(client.principal) { return try body(self) }
        guard let gate = environment.gate else { throw .notPermitted("this daemon asks no polkit") }
        let subject = PolkitSubject(pid: client.principal.pid, uid: client.principal.uid)
        // Each question may put a dialog on the person's screen, and has a thread.
        guard questioning.count < Self.questionLimit else {
            throw .notPermitted(
                "polkit is asking \(Self.questionLimit) users already; try again when some have answered")
        }
        guard questioning.insert(subject.uid).inserted else { throw .tooManyAuthorizations(limit: 1) }
        guard let waker = Waker() else {
            questioning.remove(subject.uid)
            throw .notPermitted("no descriptor is left to ask polkit")
        }
        client.question = GateQuestion(action: action, waker: waker)
        tasks.run(on: nil) {
            await gate.check(action, by: subject, until: waker)
        } completion: { [weak self] result in
            client.question = nil
            self?.questioning.remove(subject.uid)
            // Polkit knows the process by its number. While the descriptor says that it runs, the number was no other's.
            guard let self, connections.clients[client.id] === client, !client.process.hasEnded else {
                return client.connection.close()
            }
            do throws(ErrorReply) {
                switch result {
                case .success(.authorized): try body(self)
                case .success(.refused(let reason)), .success(.unavailable(let reason)): throw .notPermitted(reason)
                case .failure(let error): throw .notPermitted("\(error)")
                }
            } catch {
                client.connection.fail(error)
            }
        }
    }
}
