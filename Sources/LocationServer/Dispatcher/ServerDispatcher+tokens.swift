import AdministrationInterface
import Authorization
import LocationInterface
import LocationModel
import Logging
import Varlink
import VarlinkServer

/// Who may call an administrator's method: an administrator, on the control socket; or, on either socket, who may call on behalf
/// of others, with an administrator's token.
extension ServerDispatcher {
    /// Serves an administrator's method, if the caller may call it.
    func administer(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: TokenParameters.self)
        if let program = parameters.onBehalfOf {
            client.tokenOwner = try tokenOwner(program, parameters.token, for: call, of: client)
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

    /// Checks a token, and that its owner may administer by the present policy, in which nothing restricts it.
    /// - Returns: the owner in words, for the log and the history.
    private func tokenOwner(
        _ program: ServedProgram, _ token: String?, for call: Call, of client: ServerClient
    ) throws(ErrorReply) -> String {
        guard client.mayServeOthers else {
            throw refuseAdministration(to: client.principal, of: client, "it may not call on behalf of others")
        }
        try checkProgram(program, of: client)
        try spend(call, of: client, for: program)
        let named = Principal(uid: program.uid, pid: client.principal.pid, groups: [])
        guard call.method != AdminInterface.Method.createToken else {
            throw refuseAdministration(to: named, of: client, "a token creates no token")
        }
        guard let token, let owner = tokens.owner(of: token, uid: program.uid, at: now) else {
            throw refuseAdministration(to: named, of: client, "it has no such token")
        }
        let isRestricted = settings.policy.rule(for: owner).outcome == .restricted
        guard !isRestricted, settings.policy.mayAdminister(owner) else {
            tokens.revoke(token)
            throw refuseAdministration(
                to: named, of: client, isRestricted ? "the policy restricts it" : "it is no administrator any more")
        }
        return "uid:\(program.uid) (\(program.label.escapingUnprintable()))"
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
