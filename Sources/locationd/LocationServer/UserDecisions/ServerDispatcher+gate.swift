import Authorization
@_spi(Programs) import LocationInterface
import Polkit
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Calls that polkit is asked about. It is asked only while the policy has `[users-decide]`, and never for a location.
extension ServerDispatcher {
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
            client.call.isGated = !service.settings.policy.mayAdminister(client.principal)
            try service.serveAdmin(call, from: client)
        }
    }

    private func admitGated(_ call: Call, of client: ServerClient) throws(ErrorReply) -> PolkitAction {
        guard isGated(call), let action = Self.action(of: call) else { throw .interfaceNotFound(call.interface) }
        // Whom the policy forbids the position administers nothing by a password either.
        guard settings.policy.rule(for: client.principal).outcome != .restricted else { throw .permissionDenied }
        return action
    }

    /// Checks once more, when an administrator's call has had to wait, that its caller may make it.
    func recheck(_ call: Call, of client: ServerClient) throws(ErrorReply) {
        guard client.call.tokenUse == nil else { return try checkToken(of: client) }
        if settings.policy.mayAdminister(client.principal) { return }
        guard client.call.isGated else { throw .permissionDenied }
        try checkPresence(of: client)
        _ = try admitGated(call, of: client)
    }

    /// Polkit's consent is for a process that still runs, and waits for the reply.
    func checkPresence(of client: ServerClient) throws(ErrorReply) {
        guard isPresent(client) else { throw .notPermitted("the process that asked has ended") }
    }

    private func isPresent(_ client: ServerClient) -> Bool {
        connections.clients[client.id] === client && !client.process.hasEnded
    }

    /// Goes on if the client may do it: administrators at once, others when polkit agrees.
    func pass(
        _ action: PolkitAction, for client: ServerClient,
        then body: @escaping (ServerDispatcher) throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        if settings.policy.mayAdminister(client.principal) { return try body(self) }
        guard let gate = environment.gate else { throw .notPermitted("this daemon asks no polkit") }
        let subject = PolkitSubject(pid: client.principal.pid, uid: client.principal.uid)
        guard let waker = Waker() else { throw .notPermitted("no descriptor is left to ask polkit") }
        let question = GateQuestion(action, of: subject.uid, waker: waker)
        try questions.add(question)
        client.call.question = question
        tasks.run(on: environment.operations.tasks) {
            await gate.check(action, by: subject, until: waker)
        } completion: { [weak self] result in
            client.call.question = nil
            self?.questions.remove(question)
            // Polkit knows the process by its number. While the descriptor says that it runs, the number was no
            // other's.
            guard let self, isPresent(client) else { return client.connection.close() }
            endDueDecisions()
            do throws(ErrorReply) {
                switch result {
                case .success(.authorized): try body(self)
                case .success where question.isDisplaced:
                    throw .notPermitted(
                        "\(GateQuestions.limit) other users have had polkit asked since, "
                            + "so this question has ended; try again"
                    )
                case .success(.refused(let reason)), .success(.unavailable(let reason)): throw .notPermitted(reason)
                case .failure(let error): throw .notPermitted("\(error)")
                }
            } catch {
                client.connection.fail(error)
            }
        }
    }
}
