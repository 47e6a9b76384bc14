import DBus
import LocationInterface
import LocationModel

/// What the daemon says.
extension GeoClueService {
    /// The daemon's word about the user of a client's program.
    mutating func apply(_ status: ServiceStatus, to number: Int) -> [Step] {
        guard let client = clients[number], client.isStarted else { return [] }
        var steps: [Step] = []
        if client.accuracy != status.accuracy {
            clients[number]?.accuracy = status.accuracy
            // What was received with another accuracy can no longer be read.
            steps += forgetLocations(number)
        }
        switch status.authorization {
        case .authorizedAlways, .authorizedWhenInUse: return steps + confirmStart(number) + setActive(true, number)
        case .notDetermined:
            if !status.authorizationPending, !client.hasRequested {
                clients[number]?.hasRequested = true
                steps.append(.requestAuthorization(client.program))
            }
            // The program is started, and waits for the administrator as for a first fix.
            return steps + forgetLocations(number) + confirmStart(number) + setActive(false, number)
        default:
            steps += forgetLocations(number)
            guard client.starting.isEmpty else {
                let reason = status.reason ?? "locationd does not allow it"
                clients[number]?.starting = []
                clients[number]?.isStarted = false
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
        return [
            changed(client, ["Location": .objectPath(paths.new)]),
            .signal(
                path: client.path, interface: GeoClueInterfaces.client, member: "LocationUpdated",
                [.objectPath(paths.old), .objectPath(paths.new)], to: client.owner),
        ]
    }

    /// The daemon cannot be reached at present: the program is started, and receives locations when it can.
    mutating func applyOutage(to number: Int) -> [Step] {
        // A daemon that was started anew may not have recorded the request.
        clients[number]?.hasRequested = false
        return confirmStart(number)
    }

    mutating func confirmStart(_ number: Int) -> [Step] {
        guard let calls = clients[number]?.starting, !calls.isEmpty else { return [] }
        clients[number]?.starting = []
        return calls.map { .reply($0, []) }
    }

    mutating func forgetLocations(_ number: Int) -> [Step] {
        guard let client = clients[number], !client.locations.isEmpty else { return [] }
        clients[number]?.locations = []
        return [changed(client, ["Location": .objectPath("/")])]
    }
}

/// What the agents of the users' sessions say.
extension GeoClueService {
    /// The accuracy level that the agents of a user's sessions allow: that of the desktop's switch for locations.
    func limit(of uid: UInt32) -> UInt32 {
        agents.values.filter { $0.uid == uid }.map(\.level).min() ?? AccuracyLevel.exact
    }

    /// An agent has said how accurate locations may be; `nil` if it does not say.
    mutating func applyAgent(_ sender: String, level: UInt32?) -> [Step] {
        guard let agent = agents[sender] else { return [] }
        agents[sender] = (agent.uid, level ?? AccuracyLevel.exact)
        return applyLimit(of: agent.uid)
    }

    mutating func applyLimit(of uid: UInt32) -> [Step] {
        let limit = limit(of: uid)
        var steps: [Step] = []
        for client in clients.values where client.uid == uid && client.isStarted {
            if limit == AccuracyLevel.none {
                steps += stop(client.number) + forgetLocations(client.number)
            } else {
                steps.append(openWatch(client))
            }
        }
        return steps
    }
}
