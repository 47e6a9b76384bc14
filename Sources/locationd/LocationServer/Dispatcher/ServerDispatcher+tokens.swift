import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

/// Who may call an administrator's method: an administrator, on the control socket; or, on either socket, who may call
/// on behalf of others, with an administrator's token.
extension ServerDispatcher {
    /// Serves an administrator's method, if the caller may call it.
    func administer(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: TokenParameters.self)
        if let program = parameters.onBehalfOf {
            try useToken(parameters.token, of: program, for: call, of: client)
            if call.method == AdminInterface.Method.revokeToken { return try revokeToken(call, for: client) }
        } else {
            try spend(call, of: client, for: nil)
            guard client.socket == .control else { throw .interfaceNotFound(call.interface) }
            guard client.servedProgram == nil, settings.policy.mayAdminister(client.principal) else {
                throw refuseAdministration(to: client.principal, of: client, "it is no administrator")
            }
            switch call.method {
            case AdminInterface.Method.createToken: return try createToken(call, for: client)
            case AdminInterface.Method.revokeToken: return try revokeToken(call, for: client)
            default: break
            }
            // A service that means to pass its user's token must not administer as itself by mistake.
            guard parameters.token == nil else {
                throw .invalidParameter("token", reason: "it stands beside onBehalfOf")
            }
        }
        try serveAdmin(call, from: client)
    }

    /// Checks that a call may administer on behalf of the program's user, from here on until the call is answered.
    private func useToken(
        _ token: String?, of program: ServedProgram, for call: Call, of client: ServerClient
    ) throws(ErrorReply) {
        guard client.mayServeOthers else {
            throw refuseAdministration(to: client.principal, of: client, "it may not call on behalf of others")
        }
        try checkProgram(program, of: client)
        try spend(call, of: client, for: program)
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
    func checkToken(of client: ServerClient) throws(ErrorReply) {
        guard let use = client.call.tokenUse else { return }
        guard client.mayServeOthers else {
            throw refuseAdministration(to: use.named(by: client), of: client, "nobody may serve it any more")
        }
        guard let owner = tokens.owner(of: use.token, uid: use.program.uid, at: now) else {
            throw refuseAdministration(to: use.named(by: client), of: client, "it has no such token")
        }
        let isRestricted = settings.policy.rule(for: owner).outcome == .restricted
        guard !isRestricted, settings.policy.mayAdminister(owner) else {
            tokens.revoke(use.token)
            throw refuseAdministration(
                to: owner, of: client, isRestricted ? "the policy restricts it" : "it is no administrator any more")
        }
    }

    private func refuseAdministration(
        to principal: Principal, of client: ServerClient, _ reason: String
    ) -> ErrorReply {
        logger.log(
            .administrationRefused,
            ["principal": "\(principal)", "pid": "\(client.principal.pid)", "reason": "\(reason)"])
        return .permissionDenied
    }

    private func createToken(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let lifetime = try call.parameters(as: CreateTokenParameters.self).lifetime ?? AdministratorTokens.lifetime
        guard lifetime > 0, lifetime <= AdministratorTokens.lifetime else {
            throw .invalidParameter("lifetime", reason: "seconds, more than 0 and at most 43200")
        }
        var generator = SystemRandomNumberGenerator()
        let token = tokens.add(for: client.principal, lifetime: lifetime, at: now, using: &generator)
        logger.log(.tokenCreated, ["by": "\(client.principal)", "seconds": "\(lifetime)"])
        client.connection.reply(CreateTokenReply(token: token, lifetime: lifetime))
    }

    /// Whoever has a token may end it; one that there is not is ended already.
    private func revokeToken(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        tokens.revoke(try call.parameters(as: RevokeTokenParameters.self).token)
        logger.log(.tokenRevoked, ["by": "\(client.administrator)"])
        client.connection.reply(NoParameters())
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
