import DBus
import LocationInterface
import LocationModel

/// What programs on the bus ask, and what they are answered: calls, the daemon's replies and the bus' news go in, steps come
/// out. It does no I/O.
///
/// Each client object that is started has a watch of its own at the daemon, which judges the program's user.
struct GeoClueService {
    enum Step {
        case reply(Int, [BusValue])
        case fail(Int, GeoClueError, String)
        /// `to` is `nil` for all programs.
        case signal(path: String, interface: String, member: String, [BusValue], to: String?)
        /// The bus is asked whose program this is.
        case identify(String)
        /// The watch of this client is opened, anew if there is one.
        case watch(Int, ServedProgram, WatchRequest)
        case endWatch(Int)
        /// The user's request for authorization is brought to the daemon.
        case requestAuthorization(ServedProgram)
        /// The daemon is asked what the user may know; ``applyStatus(_:to:)`` takes the answer.
        case askStatus(Int, ServedProgram)
        /// The agent is asked how accurate locations may be.
        case askAgent(String)
    }

    /// The most client objects of one program and of one user, and the calls of a program that wait until it is identified.
    static let (clientsPerProgram, clientsPerUser, unidentifiedCalls) = (32, 256, 64)

    var clients: [Int: GeoClueClient] = [:]
    private var clientCount = 0
    /// The users of the programs, by the programs' unique names, with the calls that wait until the user is known.
    private var programs: [String: Program] = [:]
    /// The agents of the users' sessions, by their unique names, and the accuracy level that each allows.
    private(set) var agents: [String: (uid: UInt32, level: UInt32)] = [:]
    /// The calls that wait for what the daemon says of a user.
    private var statusCalls: [Int: (call: GeoClueCall, name: String?)] = [:]
    private var isInUse = false

    private struct Program {
        var uid: UInt32?
        var waiting: [GeoClueCall] = []
    }

    /// Whether nobody needs the service.
    var isIdle: Bool { clients.isEmpty && agents.isEmpty && statusCalls.isEmpty }

    // MARK: Calls

    mutating func receive(_ call: GeoClueCall) -> [Step] {
        if let uid = programs[call.sender]?.uid { return answer(call, of: uid) }
        let isNew = programs[call.sender] == nil
        guard programs[call.sender, default: Program()].waiting.count < Self.unidentifiedCalls else {
            return [.fail(call.number, .limitsExceeded, "too many calls at once")]
        }
        programs[call.sender, default: Program()].waiting.append(call)
        return isNew ? [.identify(call.sender)] : []
    }

    /// The bus has said whose program it is; `nil` if it is nobody's, or gone.
    mutating func applyIdentity(_ uid: UInt32?, of sender: String) -> [Step] {
        guard let program = programs.removeValue(forKey: sender) else { return [] }
        guard let uid else {
            return program.waiting.map { .fail($0.number, .accessDenied, "the bus does not name the user of this program") }
        }
        programs[sender] = Program(uid: uid)
        return program.waiting.flatMap { answer($0, of: uid) }
    }

    /// A program has left the bus.
    mutating func forgetProgram(_ sender: String) -> [Step] {
        guard programs.removeValue(forKey: sender) != nil else { return [] }
        statusCalls = statusCalls.filter { $0.value.call.sender != sender }
        let own = clients.values.filter { $0.owner == sender }.map(\.number)
        var steps = own.flatMap { removeClient($0) }
        if let agent = agents.removeValue(forKey: sender) { steps += applyLimit(of: agent.uid) }
        return steps + updateUse()
    }

    private mutating func answer(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
        switch call.interface {
        case GeoClueInterfaces.introspectable: return introspect(call)
        case GeoClueInterfaces.properties: return answerProperties(call, of: uid)
        default: break
        }
        if call.path == GeoClueInterfaces.managerPath {
            guard call.interface ?? GeoClueInterfaces.manager == GeoClueInterfaces.manager else {
                return [unknownInterface(call)]
            }
            return answerManager(call, of: uid)
        }
        guard let client = ownClient(at: call.path, of: call.sender) else { return [unknownObject(call)] }
        guard call.interface ?? GeoClueInterfaces.client == GeoClueInterfaces.client else {
            return [unknownInterface(call)]
        }
        switch (call.member, call.signature) {
        case ("Start", ""): return start(client.number, call.number)
        case ("Stop", ""): return [.reply(call.number, [])] + stop(client.number)
        case ("Start", _), ("Stop", _): return [invalid(call)]
        default: return [unknownMethod(call)]
        }
    }

    private mutating func answerManager(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
        switch (call.member, call.signature) {
        case ("GetClient", ""):
            // GetClient gives a program the same object each time.
            let first = clients.values.filter { $0.owner == call.sender }.min { $0.number < $1.number }
            if let first { return [.reply(call.number, [.objectPath(first.path)])] }
            return createClient(call, of: uid)
        case ("CreateClient", ""): return createClient(call, of: uid)
        case ("DeleteClient", "o"):
            guard let path = call.arguments.first?.text, let client = ownClient(at: path, of: call.sender) else {
                return [.fail(call.number, .accessDenied, "it is no client of this program")]
            }
            return [.reply(call.number, [])] + removeClient(client.number) + updateUse()
        case ("AddAgent", "s"):
            // Until it answers, the user's limit stays what it is.
            agents[call.sender] = (uid, limit(of: uid))
            return [.reply(call.number, []), .askAgent(call.sender)]
        case ("GetClient", _), ("CreateClient", _), ("DeleteClient", _), ("AddAgent", _): return [invalid(call)]
        default: return [unknownMethod(call)]
        }
    }

    private mutating func createClient(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
        guard clients.values.count(where: { $0.owner == call.sender }) < Self.clientsPerProgram,
            clients.values.count(where: { $0.uid == uid }) < Self.clientsPerUser
        else { return [.fail(call.number, .limitsExceeded, "too many clients; delete those that are not needed")] }
        clientCount += 1
        let client = GeoClueClient(number: clientCount, owner: call.sender, uid: uid)
        clients[clientCount] = client
        return [.reply(call.number, [.objectPath(client.path)])]
    }

    /// The client with this path, if it is the program's own: others are not even known to be there.
    private func ownClient(at path: String, of sender: String) -> GeoClueClient? {
        let prefix = GeoClueInterfaces.clientPath + "/"
        guard path.hasPrefix(prefix), let number = Int(path.dropFirst(prefix.count)),
            let client = clients[number], client.owner == sender, client.path == path
        else { return nil }
        return client
    }

    /// The location with this path, if it is one of the program's own clients.
    private func ownLocation(at path: String, of sender: String) -> Location? {
        for client in clients.values where client.owner == sender {
            for (number, location) in client.locations where client.path(of: number) == path { return location }
        }
        return nil
    }

    private mutating func removeClient(_ number: Int) -> [Step] {
        guard let client = clients.removeValue(forKey: number) else { return [] }
        return client.starting.map { .fail($0, .accessDenied, "the client was deleted") }
            + (client.isStarted ? [.endWatch(number)] : [])
    }

    // MARK: Start and stop

    private mutating func start(_ number: Int, _ call: Int) -> [Step] {
        guard let client = clients[number] else { return [] }
        if client.desktopID.isEmpty {
            return [.fail(call, .accessDenied, "set the property DesktopId before Start")]
        }
        guard limit(of: client.uid) > AccuracyLevel.none else {
            return [.fail(call, .accessDenied, "the user has switched off locations in the desktop's settings")]
        }
        if client.isStarted, client.starting.isEmpty { return [.reply(call, [])] }
        clients[number]?.starting.append(call)
        guard !client.isStarted else { return [] }
        clients[number]?.isStarted = true
        clients[number]?.hasRequested = false
        return [openWatch(client)] + updateUse()
    }

    private mutating func stop(_ number: Int) -> [Step] {
        guard let client = clients[number], client.isStarted else { return [] }
        clients[number]?.isStarted = false
        clients[number]?.starting = []
        return client.starting.map { .fail($0, .accessDenied, "the client was stopped") } + [.endWatch(number)]
            + setActive(false, number) + updateUse()
    }

    private func openWatch(_ client: GeoClueClient) -> Step {
        .watch(client.number, client.program, client.request(within: limit(of: client.uid)))
    }

    private mutating func setActive(_ isActive: Bool, _ number: Int) -> [Step] {
        guard let client = clients[number], client.isActive != isActive else { return [] }
        clients[number]?.isActive = isActive
        return [changed(client, ["Active": .boolean(isActive)])]
    }

    private func changed(_ client: GeoClueClient, _ properties: [String: BusValue]) -> Step {
        .signal(
            path: client.path, interface: GeoClueInterfaces.properties, member: "PropertiesChanged",
            [.string(GeoClueInterfaces.client), .properties(properties), .strings([])], to: client.owner)
    }

    /// Tells all programs when the first client starts and the last one stops, for the desktop's indicator.
    private mutating func updateUse() -> [Step] {
        let isInUse = clients.values.contains(where: \.isStarted)
        guard isInUse != self.isInUse else { return [] }
        self.isInUse = isInUse
        return [
            .signal(
                path: GeoClueInterfaces.managerPath, interface: GeoClueInterfaces.properties,
                member: "PropertiesChanged",
                [.string(GeoClueInterfaces.manager), .properties(["InUse": .boolean(isInUse)]), .strings([])], to: nil)
        ]
    }
}

// MARK: The daemon

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
    mutating func applyOutage(to number: Int) -> [Step] { confirmStart(number) }

    private mutating func confirmStart(_ number: Int) -> [Step] {
        guard let calls = clients[number]?.starting, !calls.isEmpty else { return [] }
        clients[number]?.starting = []
        return calls.map { .reply($0, []) }
    }

    private mutating func forgetLocations(_ number: Int) -> [Step] {
        guard let client = clients[number], !client.locations.isEmpty else { return [] }
        clients[number]?.locations = []
        return [changed(client, ["Location": .objectPath("/")])]
    }
}

// MARK: Properties

extension GeoClueService {
    private mutating func answerProperties(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
        let arguments = call.arguments
        switch (call.member, call.signature) {
        case ("Get", "ss"), ("GetAll", "s"), ("Set", "ssv"): break
        case ("Get", _), ("GetAll", _), ("Set", _): return [invalid(call)]
        default: return [unknownMethod(call)]
        }
        let (interface, name) = (arguments.first?.text ?? "", arguments.dropFirst().first?.text)
        if call.path == GeoClueInterfaces.managerPath {
            guard interface == GeoClueInterfaces.manager else { return [unknownInterface(call)] }
            // What is available depends on who asks.
            guard call.member != "Set", name == nil || name == "AvailableAccuracyLevel" else {
                return answer(call, name, ["InUse": .init(.boolean(isInUse)), "AvailableAccuracyLevel": .init(.uint32(0))])
            }
            statusCalls[call.number] = (call, name)
            return [.askStatus(call.number, ServedProgram(uid: uid, label: "GeoClue"))]
        }
        if let client = ownClient(at: call.path, of: call.sender) {
            guard interface == GeoClueInterfaces.client else { return [unknownInterface(call)] }
            if call.member == "Set", let name, client.properties[name]?.isWritable == true {
                return set(name, to: arguments.last, call, client)
            }
            return answer(call, name, client.properties)
        }
        guard let location = ownLocation(at: call.path, of: call.sender) else { return [unknownObject(call)] }
        guard interface == GeoClueInterfaces.location else { return [unknownInterface(call)] }
        return answer(call, name, location.geoClueProperties.mapValues { GeoClueProperty($0) })
    }

    private func answer(_ call: GeoClueCall, _ name: String?, _ properties: [String: GeoClueProperty]) -> [Step] {
        guard let name else { return [.reply(call.number, [.properties(properties.mapValues(\.value))])] }
        guard let property = properties[name] else {
            return [.fail(call.number, .unknownProperty, "there is no property of this name")]
        }
        guard call.member == "Get" else {
            return [.fail(call.number, .propertyReadOnly, "this property cannot be set")]
        }
        return [.reply(call.number, [.variant(property.value)])]
    }

    private mutating func set(
        _ name: String, to value: BusValue?, _ call: GeoClueCall, _ client: GeoClueClient
    ) -> [Step] {
        var new = client
        switch (name, value) {
        case ("DesktopId", .variant(.string(let id))?): new.desktopID = id
        case ("DistanceThreshold", .variant(.uint32(let metres))?): new.distanceThreshold = metres
        case ("TimeThreshold", .variant(.uint32(let seconds))?): new.timeThreshold = seconds
        case ("RequestedAccuracyLevel", .variant(.uint32(let level))?): new.requestedAccuracyLevel = level
        default: return [.fail(call.number, .invalidArguments, "\(name) has another type")]
        }
        clients[client.number] = new
        var steps = [Step.reply(call.number, [])]
        guard new.properties[name]?.value != client.properties[name]?.value else { return steps }
        if let value = new.properties[name]?.value { steps.append(changed(client, [name: value])) }
        let limit = limit(of: client.uid)
        if new.isStarted, new.request(within: limit) != client.request(within: limit) { steps.append(openWatch(new)) }
        return steps
    }

    /// The daemon's answer about the user of a call; `nil` if it cannot be reached.
    mutating func applyStatus(_ status: ServiceStatus?, to number: Int) -> [Step] {
        guard let (call, name) = statusCalls.removeValue(forKey: number) else { return [] }
        var level = AccuracyLevel.none
        if let status, status.enabled, let uid = programs[call.sender]?.uid {
            switch status.authorization {
            case .denied, .restricted, .unknown: break
            default: level = status.accuracy == .reduced ? AccuracyLevel.city : AccuracyLevel.exact
            }
            level = min(level, limit(of: uid))
        }
        return answer(call, name, ["InUse": .init(.boolean(isInUse)), "AvailableAccuracyLevel": .init(.uint32(level))])
    }
}

// MARK: Agents

extension GeoClueService {
    /// The accuracy level that the agents of a user's sessions allow: that of the desktop's switch for locations.
    private func limit(of uid: UInt32) -> UInt32 {
        agents.values.filter { $0.uid == uid }.map(\.level).min() ?? AccuracyLevel.exact
    }

    /// An agent has said how accurate locations may be; `nil` if it does not say.
    mutating func applyAgent(_ sender: String, level: UInt32?) -> [Step] {
        guard let agent = agents[sender] else { return [] }
        agents[sender] = (agent.uid, level ?? AccuracyLevel.exact)
        return applyLimit(of: agent.uid)
    }

    private mutating func applyLimit(of uid: UInt32) -> [Step] {
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

// MARK: Descriptions and errors

extension GeoClueService {
    private func introspect(_ call: GeoClueCall) -> [Step] {
        guard call.member == "Introspect" else { return [unknownMethod(call)] }
        guard call.signature.isEmpty else { return [invalid(call)] }
        let text: String
        switch call.path {
        case "/": text = GeoClueInterfaces.describe(nil, children: ["org"])
        case "/org": text = GeoClueInterfaces.describe(nil, children: ["freedesktop"])
        case "/org/freedesktop": text = GeoClueInterfaces.describe(nil, children: ["GeoClue2"])
        case "/org/freedesktop/GeoClue2": text = GeoClueInterfaces.describe(nil, children: ["Manager"])
        case GeoClueInterfaces.managerPath: text = GeoClueInterfaces.describe(GeoClueInterfaces.manager)
        case let path where ownClient(at: path, of: call.sender) != nil:
            text = GeoClueInterfaces.describe(GeoClueInterfaces.client)
        case let path where ownLocation(at: path, of: call.sender) != nil:
            text = GeoClueInterfaces.describe(GeoClueInterfaces.location)
        default: return [unknownObject(call)]
        }
        return [.reply(call.number, [.string(text)])]
    }

    private func unknownObject(_ call: GeoClueCall) -> Step {
        .fail(call.number, .unknownObject, "there is no such object, or it is another program's")
    }

    private func unknownInterface(_ call: GeoClueCall) -> Step {
        .fail(call.number, .unknownInterface, "this object does not have this interface")
    }

    private func unknownMethod(_ call: GeoClueCall) -> Step {
        .fail(call.number, .unknownMethod, "there is no method of this name")
    }

    private func invalid(_ call: GeoClueCall) -> Step {
        .fail(call.number, .invalidArguments, "the arguments have other types")
    }
}
