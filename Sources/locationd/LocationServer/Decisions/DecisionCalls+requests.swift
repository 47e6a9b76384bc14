import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Polkit
import ServiceServer
import Varlink

/// What users see of their own programs' requests, and decide about them.
extension DecisionCalls: ChangeFeedOwner {
    func watchRequests(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        client.call.request = "WatchRequests"
        if call.more {
            try requestFeed.begin(client, as: .watchingRequests)
        } else {
            var reply = pendingRequests(of: client, programs: waitingPrograms)
            reply.followed = requestFeed.count(of: client.principal.uid) > 0
            client.connection.reply(reply)
        }
    }

    func feedReplies(to clients: [ServerClient]) -> [(client: ServerClient, reply: RequestsReply)] {
        let programs = waitingPrograms
        return clients.map { client in
            var reply = pendingRequests(of: client, programs: programs)
            reply.firstUse = firstUses[client.principal.uid]
            return (client, reply)
        }
    }

    /// A client that watches its user's requests has gone.
    func forget(_ client: ServerClient) {
        requestFeed.forget(client)
        let uid = client.principal.uid
        if requestFeed.count(of: uid) == 0 { firstUses[uid] = nil }
    }

    /// A principal receives its first location of a day.
    func firstLocationOfDayDelivered(to client: ServerClient) {
        let uid = client.principal.uid
        guard client.principal.subject == .uid(uid), requestFeed.count(of: uid) > 0 else { return }
        firstUses[uid] = FirstUse(time: utc, program: client.label ?? client.claimedName ?? client.call.purpose)
        requestFeed.schedule()
    }

    /// What a client may see of its user's requests.
    private func pendingRequests(of client: ServerClient, programs: (UInt32) -> [WaitingProgram]) -> RequestsReply {
        let request = ownPendingRequest(of: client).map { request in
            let waiting = programs(client.principal.uid)
            let names = Set(waiting.compactMap(\.name)).sorted()
            return PendingAuthorization(
                number: request.number, since: request.time, level: request.level == .always ? .always : .whenInUse,
                fullAccuracy: request.fullAccuracy, purpose: request.purpose, programs: names, waiting: waiting,
                processes: waitingProcesses(of: client.principal.uid))
        }
        return RequestsReply(requests: request.map { [$0] } ?? [], ceiling: effectiveCeiling(of: client))
    }

    /// The request of a client's user, if it waits for a decision.
    private func ownPendingRequest(of client: ServerClient) -> AuthorizationRequest? {
        guard case .known(let table) = permissions.authority.decisions else { return nil }
        // Its unit is nothing that the user decides about.
        let principal = client.principal
        let verdict = permissions.authority.verdict(
            for: Principal(uid: principal.uid, pid: principal.pid, groups: principal.groups))
        // Where the user decides, what only an administrator may grant is not asked of it again and again.
        let ceiling = effectiveCeiling(of: client)
        let hasLevel = verdict.status != .notDetermined && ceiling?.authorization == .authorizedWhenInUse
        guard verdict.isPending && !hasLevel || verdict.isFullAccuracyPending && ceiling?.accuracy != .reduced else {
            return nil
        }
        return table.entries[.uid(principal.uid)]?.request
    }

    /// What the user may decide at present: nothing where an administrator has decided already.
    private func effectiveCeiling(of client: ServerClient) -> DecisionCeiling? {
        guard environment.gate != nil, let ceiling = settings.policy.ceiling(of: client.principal),
            case .known(let table) = permissions.authority.decisions,
            table.entries[.uid(client.principal.uid)]?.mayBeReplaced(byUser: client.principal.uid) ?? true
        else { return nil }
        return DecisionCeiling(
            authorization: ceiling.level == .authorizedAlways ? .authorizedAlways : .authorizedWhenInUse,
            accuracy: ceiling.accuracy == .full ? .full : .reduced, longest: ceiling.longest)
    }

    /// Those programs of users that are connected and wait, by user: looked up once for many. A user's own pages are
    /// named only where no program waits.
    private var waitingPrograms: (UInt32) -> [WaitingProgram] {
        /// With the number of the program's newest connection.
        var waiting: [UInt32: [WaitingProgram: Int]] = [:]
        var pages: [UInt32: [WaitingProgram: Int]] = [:]
        let names = namesOfProcesses
        for client in connections.clients.values {
            guard client.permission.isPending || client.permission.isFullAccuracyPending,
                case .uid(let uid) = client.principal.subject
            else { continue }
            // A label stands for a purpose where a program that a bridge serves has stated none.
            let purpose = client.call.purpose == client.label ? nil : client.call.purpose
            let program = WaitingProgram(name: client.waitingName(names), purpose: purpose)
            guard program.name != nil || purpose != nil else { continue }
            guard client.label != ServedProgram.pageLabel else {
                pages[uid] = [program: client.id]
                continue
            }
            let newest = max(client.id, waiting[uid]?[program] ?? 0)
            waiting[uid, default: [:]][program] = newest
        }
        return { uid in
            // One connection of a program states the purpose, another one may only receive.
            var programs = waiting[uid] ?? [:]
            if programs.keys.allSatisfy(\.isDesktopPart) { programs.merge(pages[uid] ?? [:]) { $1 } }
            let explained = Set(programs.keys.filter { $0.purpose != nil }.map(\.name))
            let distinct = programs.filter { $0.key.purpose != nil || !explained.contains($0.key.name) }
            // Neither parts of the desktop nor programs that the person knows of keep a new one from being named.
            let rank = { (entry: (key: WaitingProgram, value: Int)) in (entry.key.isDesktopPart ? 0 : 1, entry.value) }
            let named = distinct.sorted { rank($0) > rank($1) }
                .prefix(PendingAuthorization.programLimit).map(\.key)
            return named.sorted { ($0.name ?? "", $0.purpose ?? "") < ($1.name ?? "", $1.purpose ?? "") }
        }
    }

    /// What processes call themselves by any of their connections: a program may request by one and receive by another.
    var namesOfProcesses: [Int32: String] {
        connections.clients.values.reduce(into: [:]) { names, client in
            guard client.servedProgram == nil, let name = client.claimedName else { return }
            names[client.principal.pid] = min(name, names[client.principal.pid] ?? name)
        }
    }

    func decideOwn(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let parameters = try call.request(as: DecideParameters.self)
        client.call.request = "Decide"
        // Polkit judges processes, and a page or a bridge's client is none; a denial needs no polkit. It answers a
        // request that there is, so that a service cannot fill the decisions with users of its own.
        guard client.servedProgram == nil || parameters.authorization == .denied && parameters.number != nil else {
            throw .notPermitted(
                "a service may pass on the denial of a request, by its number, and no more; answer the notification, or "
                    + "use `locctl authorize me` on a terminal")
        }
        let uid = client.principal.uid
        var decision = Decision(
            parameters.authorization.answer, accuracy: parameters.accuracy == .reduced ? .reduced : .full,
            by: isAdministrator(client) ? "\(client.principal)" : DecisionEntry.user(uid),
            time: utc)
        if decision.answer == .denied { decision.isTransient = try mayForgetDenial(by: client.principal) }
        let before = try admit(decision, parameters, of: client)
        // Who takes away harms its own user alone, who can undo it: a dialog of polkit always means that something is
        // granted.
        guard decision.answer != .denied else { return try deny(decision, insteadOf: before, for: client) }
        var program: ProgramInProcess?
        if let pid = parameters.process { program = try self.program(in: pid, of: .uid(uid)) }
        // Who narrows an own grant gives nothing.
        if let program, let before, decision.isWithin(before) {
            return try narrow(decision, to: program, during: parameters.duration, for: client)
        }
        // What has changed while polkit and the person took their time counts, and again after the name is looked up.
        let recheck = { () throws(ErrorReply) in
            try self.gate.checkPresence(of: client)
            guard try self.admit(decision, parameters, of: client) == before else {
                throw .failed("there is a newer decision about your programs; see `locctl status`")
            }
            if let program { try self.recheck(program) }
        }
        let action = PolkitAction.own(isReduced: decision.accuracy != .full, isOneProcess: program != nil)
        try gate.pass(action, for: client) { () throws(ErrorReply) in
            self.endDueDecisions()
            try recheck()
            var decision = decision
            decision.time = self.utc.roundedToMilliseconds
            if let program {
                try self.decide(decision, about: program, during: parameters.duration)
                client.connection.reply(self.locations.status(for: program.client))
                return
            }
            try self.grant(
                decision, about: .uid(uid), during: parameters.duration, for: client, isOwn: true, recheck: recheck)
        }
    }

    private func deny(
        _ decision: Decision, insteadOf before: Decision?, for client: ServerClient
    ) throws(ErrorReply) {
        let uid = client.principal.uid
        // A grant that waits for polkit does not come after it.
        connections.clients.values.filter { $0.principal.uid == uid }.forEach { $0.call.question?.withdrawOwn() }
        // The same again changes nothing, and is written only if the disk does not have it yet.
        if before?.answer == .denied, before?.isTransient == decision.isTransient, !gate.hasQuestion(of: uid),
            awaitingName[uid] == nil
        {
            let persistence = persistence(of: decision, in: try readableDecisions())
            return context.reply(to: client, locations.status(for: client), after: persistence)
        }
        try grant(decision, about: .uid(uid), during: nil, for: client, isOwn: true, recheck: {})
    }

    /// Whether it decides as an administrator, about its own programs too: a service has no rights of those whom it
    /// serves.
    private func isAdministrator(_ client: ServerClient) -> Bool {
        client.servedProgram == nil && settings.policy.mayAdminister(client.principal)
    }

    /// Whether the user's denial takes nothing away, and nobody is logged in as that user, who would be asked again
    /// after a restart.
    private func mayForgetDenial(by principal: Principal) throws(ErrorReply) -> Bool {
        let table = try readableDecisions()
        return table.mayForgetDenial(ofUser: principal.uid)
            && settings.policy.rule(for: principal).outcome == .ask && permissions.isLoggedOut(principal.uid)
    }

    /// Checks what does not depend on polkit.
    /// - Returns: what holds at present.
    private func admit(
        _ decision: Decision, _ parameters: DecideParameters, of client: ServerClient
    ) throws(ErrorReply) -> Decision? {
        let principal = client.principal
        let table = try readableDecisions()
        let entry = table.entries[.uid(principal.uid)]
        guard parameters.process != nil || table.hasRoom(for: decision, ofUser: principal.uid) else {
            throw .notPermitted(
                "as many users with numbers like yours as may have decided already; "
                    + "an administrator can: `sudo locctl authorize uid:\(principal.uid)`")
        }
        if let number = parameters.number, ownPendingRequest(of: client)?.number != number {
            throw .noSuchRequest(number)
        }
        if !isAdministrator(client) {
            guard let ceiling = settings.policy.ceiling(of: principal) else {
                throw .notPermitted(
                    "the policy does not let you decide about your programs; "
                        + "an administrator can: `sudo locctl authorize uid:\(principal.uid)`")
            }
            guard entry?.mayBeReplaced(byUser: principal.uid) ?? true else {
                throw .notPermitted(
                    "an administrator has decided about your programs; "
                        + "who may change that: `sudo locctl authorize uid:\(principal.uid)`")
            }
            if let objection = ceiling.objection(to: decision, during: parameters.duration) {
                throw .notPermitted(objection)
            }
        }
        try checkRules(decision, about: .uid(principal.uid), during: parameters.duration)
        return entry?.effective
    }
}

extension ServerClient {
    /// What the person is told that the program calls itself.
    func waitingName(_ names: [Int32: String]) -> String? {
        label ?? claimedName ?? (servedProgram == nil ? names[principal.pid] : nil)
    }
}

extension AuthorizationRequest {
    /// Its number for people: the time at which it was made or changed, in milliseconds.
    var number: Int64 { time.seconds &* 1000 &+ Int64(time.nanoseconds / 1_000_000) }
}

extension DecideParameters.Answer {
    var answer: Decision.Answer {
        switch self {
        case .denied: .denied
        case .authorizedWhenInUse: .authorizedWhenInUse
        case .authorizedAlways: .authorizedAlways
        }
    }
}
