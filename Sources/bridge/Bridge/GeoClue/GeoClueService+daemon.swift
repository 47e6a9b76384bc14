import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore

/// What the daemon says.
extension GeoClueService {
    /// The daemon's word about the user of a client's program.
    mutating func apply(_ status: ServiceStatus, to number: Int, at now: NIODeadline) -> [Step] {
        guard let client = clients[number], client.isStarted else { return [] }
        var steps: [Step] = []
        if clients[number]?.view.apply(status) != nil { steps += forgetLocations(number) }
        if !status.enabled { clients[number]?.receives = false }
        // After a decision that is reset or over, and after a request that is reset, it is requested again.
        let isForgotten = client.status?.authorizationPending == true && !status.authorizationPending
        let hasRequested = client.hasRequested && status.authorization == .notDetermined && !isForgotten
        clients[number]?.hasRequested = hasRequested
        switch status.authorization {
        case .authorizedAlways, .authorizedWhenInUse: return steps + confirmStart(number) + setActive(true, number)
        case .notDetermined:
            // Each program requests it, so that it is named to the person; a part of the desktop never causes a
            // question.
            if !hasRequested, !client.isDesktopPart {
                clients[number]?.hasRequested = true
                steps.append(.requestAuthorization(client.program))
            }
            // Where a person is being asked because of this program, `Start` is answered as soon as she has decided.
            // Elsewhere the program is started, and waits for an administrator as for a first fix.
            guard !client.starting.isEmpty, clients[number]?.hasRequested == true else {
                return steps + confirmStart(number) + setActive(false, number)
            }
            if !client.awaitsDecision {
                clients[number]?.awaitsDecision = true
                steps.append(.askFollowed(number, start: client.starts, client.program))
            }
            return steps + setActive(false, number)
        default:
            guard client.starting.isEmpty else {
                let reason = status.reason ?? "locationd does not allow it"
                clients[number]?.endWait()
                clients[number]?.starting = []
                clients[number]?.isStarted = false
                clients[number]?.view.applyOutage()
                return steps + client.starting.map { .fail($0, .accessDenied, reason) } + [.endWatch(number)]
                    + updateUse()
            }
            // The watch stays open: a later decision reaches the program.
            return steps + setActive(false, number)
        }
    }

    mutating func apply(_ location: Location, to number: Int, at now: UTCTime) -> [Step] {
        guard let client = clients[number], client.isStarted, let paths = clients[number]?.add(location, at: now) else {
            return []
        }
        clients[number]?.receives = true
        return [
            changed(client, ["Location": .objectPath(paths.new)]),
            .signal(
                path: client.path, interface: GeoClueInterfaces.client, member: "LocationUpdated",
                [.objectPath(paths.old), .objectPath(paths.new)], to: client.owner),
        ] + updateUse()
    }

    /// The daemon cannot be reached at present: the program is started, and receives locations when it can.
    mutating func applyOutage(to number: Int) -> [Step] {
        // A daemon that was started anew may not have recorded the request.
        clients[number]?.hasRequested = false
        clients[number]?.view.applyOutage()
        clients[number]?.receives = false
        return confirmStart(number) + updateUse()
    }

    /// Whether a program at the person's screen shows the requests of a client's user; of the client's present start
    /// alone.
    mutating func applyFollowed(_ isFollowed: Bool, to number: Int, start: Int) -> [Step] {
        guard let client = clients[number], client.starts == start, client.isStarted, client.awaitsDecision, !isFollowed
        else { return [] }
        return confirmStart(number)
    }

    /// Answers those that have waited for a decision as long as programs wait.
    private mutating func confirmUndecided(at now: NIODeadline) -> [Step] {
        let late = clients.values.filter { $0.awaitsDecision && $0.startDeadline.map { $0 <= now } ?? false }
        return late.sorted { $0.number < $1.number }.flatMap { confirmStart($0.number) }
    }

    mutating func confirmStart(_ number: Int) -> [Step] {
        clients[number]?.endWait()
        guard let calls = clients[number]?.starting, !calls.isEmpty else { return [] }
        clients[number]?.starting = []
        return calls.map { .reply($0, []) }
    }

    mutating func forgetLocations(_ number: Int) -> [Step] {
        guard let client = clients[number], !client.locations.isEmpty else { return [] }
        clients[number]?.forgetLocations()
        return [changed(client, ["Location": .objectPath("/")])]
    }
}

/// What the agents of the users' sessions say.
extension GeoClueService {
    mutating func noteChange(ofAgent sender: String, at now: NIODeadline) -> [Step] {
        agents.noteChange(of: sender) ? askAgents(at: now) : []
    }

    mutating func apply(_ answer: GeoClueAgents.Answer, ofAgent sender: String, at now: NIODeadline) -> [Step] {
        guard let uid = agents.apply(answer, of: sender, at: now) else { return [] }
        return applyLimit(of: uid, at: now) + askAgents(at: now)
    }

    /// Time has passed.
    mutating func advance(to now: NIODeadline) -> [Step] {
        guard let deadline, deadline <= now else { return [] }
        let limits = agents.advance(to: now).flatMap { applyLimit(of: $0, at: now) } + askAgents(at: now)
        let (outcomes, next) = apps.advance(to: now)
        let refused = Set(clients.values.filter { $0.switchDeadline.map { $0 <= now } ?? false }.map(\.uid))
        let refusals = refused.flatMap { applyLimit(of: $0, at: now) }
        let begun = outcomes.flatMap { apply($0) } + next.map { askAbout($0) }
        return limits + refusals + begun + confirmUndecided(at: now)
    }

    /// When ``advance(to:)`` has something to do; `nil` if only with the next input.
    var deadline: NIODeadline? {
        let decision = clients.values.lazy.filter(\.awaitsDecision).compactMap(\.startDeadline).min()
        let refusal = clients.values.lazy.compactMap(\.switchDeadline).min()
        return [agents.deadline, apps.deadline, decision, refusal].compactMap { $0 }.min()
    }

    mutating func askAgents(at now: NIODeadline) -> [Step] {
        agents.takeQuestions(at: now).map { .askAgent($0) }
    }

    /// Applies what the agents of a user allow now.
    mutating func applyLimit(of uid: UInt32, at now: NIODeadline) -> [Step] {
        let (limit, isAwaited) = (agents.limit(of: uid), agents.isAwaited(of: uid))
        var steps: [Step] = []
        for client in clients.values where client.uid == uid {
            if limit == AccuracyLevel.none {
                if let patience = client.switchDeadline, now < patience { continue }
                let waiting = client.isStarted ? [] : client.starting
                if !waiting.isEmpty { clients[client.number]?.starting = [] }
                steps += waiting.map { .fail($0, .accessDenied, Self.switchedOff) } + stop(client.number)
            } else if !client.isStarted {
                clients[client.number]?.switchDeadline = nil
                guard !client.starting.isEmpty, !isAwaited else { continue }
                steps += beginWithConsent(client.number, at: now)
            } else if client.requested != client.request(within: self.limit(of: client)) {
                steps += reopenWatch(client)
            }
        }
        return steps
    }

    /// Opens the watch of a client with another request. What was received with full accuracy can no longer be read if
    /// the accuracy is reduced from now on.
    mutating func reopenWatch(_ client: GeoClueClient) -> [Step] {
        let request = client.request(within: limit(of: client))
        let isLess = request.reducedAccuracy && client.requested?.reducedAccuracy == false
        return (isLess ? forgetLocations(client.number) : []) + [openWatch(client)]
    }
}
