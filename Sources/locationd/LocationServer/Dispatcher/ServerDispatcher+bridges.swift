import Authorization
@_spi(Programs) import LocationInterface
import Logging
import ServiceServer
import Varlink

/// Connections that a bridge makes for the programs it serves: from the first call that names a program on, policy,
/// decisions, limits and audit are that program's, and the bridge's own rights count no more.
extension ServerDispatcher {
    /// Checks for whom a call is. The first call that names a program makes the connection that program's; a connection
    /// serves one program, or its own process.
    ///
    /// - Returns: false if the call waits for the groups of the program's user; it is served afterwards.
    func admitProgram(of call: Call, from client: ServerClient) throws(ErrorReply) -> Bool {
        let named = try call.parameters(as: ServedProgramParameters.self).onBehalfOf
        guard let named else {
            guard client.servedProgram == nil else { throw client.otherProgram }
            try connections.spend(call, of: client, for: nil)
            return true
        }
        guard client.mayServeOthers else {
            logger.log(
                .administrationRefused, ["principal": "\(client.principal)", "pid": "\(client.principal.pid)"])
            throw .permissionDenied
        }
        try client.checkProgram(named)
        guard client.servedProgram == nil else { return true }
        try connections.spend(call, of: client, for: named)
        return try bind(client, to: named, by: call)
    }

    /// Applies a change of the policy to the right to serve others: who has lost it serves nobody from here on.
    func refreshServing() {
        for client in connections.clients.values {
            let former = client.mayServeOthers
            client.mayServeOthers = settings.policy.mayServeOthers(client.connectingPrincipal)
            guard former, !client.mayServeOthers, client.servedProgram != nil else { continue }
            connections.disconnect(
                client, reason: "the policy does not let \(client.connectingPrincipal) serve others any more")
        }
    }

    /// Finds the groups of the program's user, by which policy rules may match, and makes the connection the program's.
    /// - Returns: false if the groups are being looked up; the call is served afterwards.
    private func bind(
        _ client: ServerClient, to program: ServedProgram, by call: Call
    ) throws(ErrorReply) -> Bool {
        let known: Set<UInt32>?
        do throws(GroupLookUps.Failure) {
            known = try groupLookUps.groups(of: program.uid, for: client.id) { [weak self, weak client] result in
                guard let self, let client, connections.contains(client), !context.isFinishing else { return }
                do throws(ErrorReply) {
                    // The policy may have changed meanwhile.
                    guard client.mayBeginServing else { throw .permissionDenied }
                    switch result {
                    case .success(let groups): try bind(client, to: program, groups: groups)
                    case .failure(let failure): throw Self.noGroups(of: program, failure)
                    }
                    try serveLocation(call, from: client)
                } catch {
                    connections.badRequests += 1
                    client.connection.fail(error)
                }
            }
        } catch { throw Self.noGroups(of: program, error) }
        guard let known else { return false }
        try bind(client, to: program, groups: known)
        return true
    }

    private static func noGroups(of program: ServedProgram, _ failure: GroupLookUps.Failure) -> ErrorReply {
        .failed("the groups of uid \(program.uid) cannot be looked up: \(failure)")
    }

    private func bind(_ client: ServerClient, to program: ServedProgram, groups: Set<UInt32>) throws(ErrorReply) {
        let caller = Connections.servedCaller(of: program)
        let principal = Principal(
            uid: program.uid, pid: client.principal.pid, groups: groups, unit: program.unit,
            isMakerOfSocket: program.transport == .tcp)
        if let limit = connections.limits.hand(client.connection, from: client.caller, to: caller) {
            logger.logLimit("clients-per-user", limit, of: principal)
            throw .tooManyClients(limit: limit)
        }
        decisions.endDueDecisions()
        let process = decisions.process(of: program, servedBy: client.process)
        client.serve(program, in: process, as: principal, caller: caller)
        client.image = client.program?.image
        client.permission = decisions.permission(of: client)
        decisions.noteConnection(of: client, isOpen: true)
        connections.limitRequests(of: client)
        reporter.scheduleReport()
    }
}
