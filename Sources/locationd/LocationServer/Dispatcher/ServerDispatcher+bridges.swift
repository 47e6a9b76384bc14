import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

/// Connections that a bridge makes for the programs it serves: from the first call that names a program on, policy,
/// decisions, limits and audit are that program's, and the bridge's own rights count no more.
extension ServerDispatcher {
    /// Serves a call that may name a program. A connection serves one program, or its own process.
    func serve(
        _ call: Call, of client: ServerClient, _ body: @escaping (ServerDispatcher) throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        let named = try call.parameters(as: ServedProgramParameters.self).onBehalfOf
        guard let named else {
            guard client.servedProgram == nil else { throw Self.otherProgram(of: client) }
            try spend(call, of: client, for: nil)
            return try body(self)
        }
        guard client.mayServeOthers else {
            logger.log(
                .administrationRefused, ["principal": "\(client.principal)", "pid": "\(client.principal.pid)"])
            throw .permissionDenied
        }
        try checkProgram(named, of: client)
        guard client.servedProgram == nil else { return try body(self) }
        try spend(call, of: client, for: named)
        try bind(client, to: named, then: body)
    }

    /// Checks the program that a call names: the one that the connection serves, or any if it serves none yet.
    func checkProgram(_ program: ServedProgram, of client: ServerClient) throws(ErrorReply) {
        if let served = client.servedProgram {
            guard served == program else { throw Self.otherProgram(of: client) }
            return
        }
        do throws(InvalidField) { _ = try program.validated() } catch {
            throw .invalidParameter(error.field, reason: error.reason)
        }
        if let unit = program.unit, !Subject.isUnit(unit) {
            throw .invalidParameter("onBehalfOf.unit", reason: "it is NAME.service")
        }
    }

    private static func otherProgram(of client: ServerClient) -> ErrorReply {
        .invalidParameter(
            "onBehalfOf", reason: "this connection serves \(client.principal); open another for another")
    }

    /// Counts a call of a connection that may serve others and serves nobody yet: against the user whom it names,
    /// before anything is done for it, else against the caller's own. Other connections' calls are counted already.
    func spend(_ call: Call, of client: ServerClient, for program: ServedProgram?) throws(ErrorReply) {
        guard client.mayBeginServing else { return }
        guard let program else {
            guard limits.admit(call, of: client.caller, on: client.connection) else {
                throw tooManyRequests(of: client.principal)
            }
            return
        }
        guard limits.mayConnect(Self.servedCaller(of: program), with: call) else {
            throw tooManyRequests(of: Principal(uid: program.uid, pid: client.principal.pid, groups: []))
        }
    }

    /// Whose limits count for a program. Nobody who is served is exempt: an administrator whom the limits shut out has
    /// the daemon's own sockets, and a program that was taken over could name an exempt user.
    private static func servedCaller(of program: ServedProgram) -> UserLimits.Caller {
        UserLimits.Caller(uid: program.uid, isExempt: false)
    }

    /// The error of a call above the rate, which is logged.
    func tooManyRequests(of principal: Principal) -> ErrorReply {
        logger.logLimit("requests-per-second", limits.callsPerSecond, of: principal)
        return .tooManyRequests(limit: limits.callsPerSecond)
    }

    /// Applies a change of the policy to the right to serve others: who has lost it serves nobody from here on.
    func refreshServing() {
        for client in connections.clients.values {
            let former = client.mayServeOthers
            client.mayServeOthers = settings.policy.mayServeOthers(client.connectingPrincipal)
            guard former, !client.mayServeOthers, client.servedProgram != nil else { continue }
            disconnect(client, reason: "the policy does not let \(client.connectingPrincipal) serve others any more")
        }
    }

    /// Finds the groups of the program's user, by which policy rules may match, and makes the connection the program's.
    private func bind(
        _ client: ServerClient, to program: ServedProgram,
        then body: @escaping (ServerDispatcher) throws(ErrorReply) -> Void
    ) throws(ErrorReply) {
        let known: Set<UInt32>?
        do throws(GroupLookUps.Failure) {
            known = try groupLookUps.groups(of: program.uid, for: client.id) { [weak self, weak client] result in
                guard let self, let client, self.connections.clients[client.id] === client, !self.isFinishing else {
                    return
                }
                do throws(ErrorReply) {
                    // The policy may have changed meanwhile.
                    guard client.mayBeginServing else { throw .permissionDenied }
                    switch result {
                    case .success(let groups): try self.bind(client, to: program, groups: groups)
                    case .failure(let failure): throw Self.noGroups(of: program, failure)
                    }
                    try body(self)
                } catch {
                    self.counters.badRequests += 1
                    client.connection.fail(error)
                }
            }
        } catch { throw Self.noGroups(of: program, error) }
        guard let known else { return }
        try bind(client, to: program, groups: known)
        try body(self)
    }

    private static func noGroups(of program: ServedProgram, _ failure: GroupLookUps.Failure) -> ErrorReply {
        .failed("the groups of uid \(program.uid) cannot be looked up: \(failure)")
    }

    private func bind(_ client: ServerClient, to program: ServedProgram, groups: Set<UInt32>) throws(ErrorReply) {
        let caller = Self.servedCaller(of: program)
        let principal = Principal(
            uid: program.uid, pid: client.principal.pid, groups: groups, unit: program.unit,
            isMakerOfSocket: program.transport == .tcp)
        if let limit = limits.hand(client.connection, from: client.caller, to: caller) {
            logger.logLimit("clients-per-user", limit, of: principal)
            throw .tooManyClients(limit: limit)
        }
        endDueDecisions()
        client.serve(program, in: process(of: program, servedBy: client.process), as: principal, caller: caller)
        client.image = client.program?.image
        client.permission = permission(of: client)
        noteConnection(of: client, isOpen: true)
        limitRequests(of: client)
        reporter.scheduleReport()
    }
}
