import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import Polkit
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Who may call an administrator's method: an administrator, on the control socket; on either socket, who may call on
/// behalf of others, with an administrator's token; and on the socket for everyone whom polkit lets. Polkit is asked
/// only while the policy has `[users-decide]`, and never for a location.
///
/// Ownership: everything here belongs to the event loop. The tokens, and the questions that polkit has, are its own.
final class CallGate {
    private let context: ServerContext
    private let connections: Connections
    private var tokens = AdministratorTokens()
    private var questions = GateQuestions()

    init(_ context: ServerContext, _ connections: Connections) {
        self.context = context
        self.connections = connections
    }

    private var policy: AccessPolicy {
        _read { yield context.settings.policy }
    }

    // MARK: Administrators and their tokens

    /// Checks that the caller may call an administrator's method, where polkit is not asked.
    func admitAdministrator(_ call: Call, of client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: TokenParameters.self)
        if let program = parameters.onBehalfOf {
            return try useToken(parameters.token, of: program, for: call, of: client)
        }
        try connections.spend(call, of: client, for: nil)
        guard client.socket == .control else { throw .interfaceNotFound(call.interface) }
        guard client.servedProgram == nil, policy.mayAdminister(client.principal) else {
            throw refuseAdministration(to: client.principal, of: client, "it is no administrator")
        }
        // A service that means to pass its user's token must not administer as itself by mistake.
        guard parameters.token == nil || Self.isAboutTokens(call) else {
            throw .invalidParameter("token", reason: "it stands beside onBehalfOf")
        }
    }

    private static func isAboutTokens(_ call: Call) -> Bool {
        [AdminInterface.Method.createToken, AdminInterface.Method.revokeToken].contains(call.method)
    }

    /// Checks that a call may administer on behalf of the program's user, from here on until the call is answered.
    private func useToken(
        _ token: String?, of program: ServedProgram, for call: Call, of client: ServerClient
    ) throws(ErrorReply) {
        guard client.mayServeOthers else {
            throw refuseAdministration(to: client.principal, of: client, "it may not call on behalf of others")
        }
        try client.checkProgram(program)
        try connections.spend(call, of: client, for: program)
        let use = TokenUse(token: token ?? "", program: program)
        guard call.method != AdminInterface.Method.createToken else {
            throw refuseAdministration(to: use.named(by: client), of: client, "a token creates no token")
        }
        client.call.tokenUse = use
        try checkToken(of: client)
    }

    /// Checks the token by which the present call administers, if there is one: it is there, its owner may administer
    /// by the present policy, and nothing restricts it there. A call that had to wait is checked again before it takes
    /// effect.
    private func checkToken(of client: ServerClient) throws(ErrorReply) {
        guard let use = client.call.tokenUse else { return }
        guard client.mayServeOthers else {
            throw refuseAdministration(to: use.named(by: client), of: client, "nobody may serve it any more")
        }
        guard let owner = tokens.owner(of: use.token, uid: use.program.uid, at: context.now) else {
            throw refuseAdministration(to: use.named(by: client), of: client, "it has no such token")
        }
        let isRestricted = policy.rule(for: owner).outcome == .restricted
        guard !isRestricted, policy.mayAdminister(owner) else {
            tokens.revoke(use.token)
            throw refuseAdministration(
                to: owner, of: client, isRestricted ? "the policy restricts it" : "it is no administrator any more")
        }
    }

    private func refuseAdministration(
        to principal: Principal, of client: ServerClient, _ reason: String
    ) -> ErrorReply {
        context.logger.log(
            .administrationRefused,
            ["principal": "\(principal)", "pid": "\(client.principal.pid)", "reason": "\(reason)"])
        return .permissionDenied
    }

    func createToken(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let lifetime = try call.parameters(as: CreateTokenParameters.self).lifetime ?? AdministratorTokens.lifetime
        guard lifetime > 0, lifetime <= AdministratorTokens.lifetime else {
            throw .invalidParameter("lifetime", reason: "seconds, more than 0 and at most 43200")
        }
        var generator = SystemRandomNumberGenerator()
        let token = tokens.add(for: client.principal, lifetime: lifetime, at: context.now, using: &generator)
        context.logger.log(.tokenCreated, ["by": "\(client.principal)", "seconds": "\(lifetime)"])
        client.connection.reply(CreateTokenReply(token: token, lifetime: lifetime))
    }

    /// Whoever has a token may end it; one that there is not is ended already.
    func revokeToken(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        tokens.revoke(try call.parameters(as: RevokeTokenParameters.self).token)
        context.logger.log(.tokenRevoked, ["by": "\(client.administrator)"])
        client.connection.reply(NoParameters())
    }

    // MARK: Polkit

    /// Whether a call of an administrator's method on the socket for everyone is served, if polkit agrees.
    func isGated(_ call: Call) -> Bool {
        context.environment.gate != nil && !policy.ceilings.isEmpty && Self.action(of: call) != nil
    }

    private static func action(of call: Call) -> PolkitAction? {
        AdminInterface.gate(of: call.method).map { gate in
            switch gate {
            case .decide: .decide
            case .administer: .administer
            }
        }
    }

    /// Serves an administrator's method on the socket for everyone, if polkit agrees.
    /// - Parameter serve: serves the call, now or later.
    func passAdministration(
        _ call: Call, of client: ServerClient, then serve: @escaping () throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        let parameters = try call.parameters(as: TokenParameters.self)
        // A service that means to administer for its user does not do so as itself by mistake.
        guard parameters.onBehalfOf == nil, parameters.token == nil else { throw .interfaceNotFound(call.interface) }
        try pass(try admitGated(call, of: client), for: client) { () throws(ErrorReply) in
            // The policy may have changed while polkit and the person took their time.
            _ = try self.admitGated(call, of: client)
            client.call.isGated = !self.policy.mayAdminister(client.principal)
            try serve()
        }
    }

    private func admitGated(_ call: Call, of client: ServerClient) throws(ErrorReply) -> PolkitAction {
        guard isGated(call), let action = Self.action(of: call) else { throw .interfaceNotFound(call.interface) }
        // Whom the policy forbids the position administers nothing by a password either.
        guard policy.rule(for: client.principal).outcome != .restricted else { throw .permissionDenied }
        return action
    }

    /// Polkit's consent is for a process that still runs, and waits for the reply.
    func checkPresence(of client: ServerClient) throws(ErrorReply) {
        guard isPresent(client) else { throw .notPermitted("the process that asked has ended") }
    }

    private func isPresent(_ client: ServerClient) -> Bool { connections.contains(client) && !client.process.hasEnded }

    /// Whether polkit has a question about a user.
    func hasQuestion(of uid: UInt32) -> Bool { questions.contains(uid) }

    /// Goes on if the client may do it: administrators at once, others when polkit agrees.
    func pass(
        _ action: PolkitAction, for client: ServerClient, then body: @escaping () throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        if policy.mayAdminister(client.principal) { return try body() }
        guard let gate = context.environment.gate else { throw .notPermitted("this daemon asks no polkit") }
        let subject = PolkitSubject(pid: client.principal.pid, uid: client.principal.uid)
        guard let waker = Waker() else { throw .notPermitted("no descriptor is left to ask polkit") }
        let question = GateQuestion(action, of: subject.uid, waker: waker)
        try questions.add(question)
        client.call.question = question
        context.tasks.run(on: context.environment.operations.tasks) {
            await gate.check(action, by: subject, until: waker)
        } completion: { [weak self] result in
            client.call.question = nil
            self?.questions.remove(question)
            // Polkit knows the process by its number. While the descriptor says that it runs, the number was no
            // other's.
            guard let self, isPresent(client) else { return client.connection.close() }
            do throws(ErrorReply) {
                switch result {
                case .success(.authorized): try body()
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

    // MARK: Calls that wait

    /// Checks once more, when an administrator's call has had to wait, that its caller may make it.
    func recheck(_ call: Call, of client: ServerClient) throws(ErrorReply) {
        guard client.call.tokenUse == nil else { return try checkToken(of: client) }
        if policy.mayAdminister(client.principal) { return }
        guard client.call.isGated else { throw .permissionDenied }
        try checkPresence(of: client)
        _ = try admitGated(call, of: client)
    }

    /// Resolves the text of an administrator's call to a subject. A user's name is looked up off the event loop, after
    /// which the caller's right is checked once more.
    func withSubject(
        _ text: String, of call: Call, from client: ServerClient,
        _ body: @escaping (Subject) throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        if let subject = Subject(text) { return try body(subject) }
        guard text.hasPrefix("user:") else {
            throw .invalidParameter(
                "principal", reason: "it is uid:NUMBER, user:NAME, unit:NAME.service or bridge:nmea")
        }
        let (operations, name) = (context.environment.operations, String(text.dropFirst("user:".count)))
        context.tasks.run(on: operations.nameLookUpTasks) {
            await operations.uid(of: name)
        } completion: { result in
            do throws(ErrorReply) {
                guard case .success(let uid?) = result, let subject = Subject("uid:\(uid)")
                else { throw .noSuchPrincipal(text) }
                try self.recheck(call, of: client)
                try body(subject)
            } catch {
                client.connection.fail(error)
            }
        }
    }

    /// Answers an administrator with a value that is slow to encode, such as thousands of records, and encodes it off
    /// the event loop.
    func reply<Answer: Encodable & Sendable>(
        to client: ServerClient, with answer: @escaping @Sendable () async throws -> Answer
    ) {
        context.tasks.run(on: context.environment.operations.waitingTasks) {
            EncodedMessage(try MessageEncoder().reply(try await answer(), continues: false))
        } completion: { [weak self] result in
            do throws(ErrorReply) {
                try self?.checkToken(of: client)
                switch result {
                case .success(let message): _ = client.connection.reply(encoded: message, isFinal: true)
                case .failure(let error): throw .failed("\(error)")
                }
            } catch {
                client.connection.fail(error)
            }
        }
    }
}

/// A call by an administrator's token.
struct TokenUse {
    let token: String
    /// The service's program that the administrator uses.
    let program: ServedProgram

    /// The administrator in words, with the label.
    var description: String { "uid:\(program.uid) (\(program.label.sanitizedAsClaim()))" }

    /// The user whom the call names.
    func named(by client: ServerClient) -> Principal {
        Principal(uid: program.uid, pid: client.principal.pid, groups: [])
    }
}
