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
    var clientCount = 0
    /// The users of the programs, by the programs' unique names, with the calls that wait until the user is known.
    var programs: [String: Program] = [:]
    /// The agents of the users' sessions, by their unique names, and the accuracy level that each allows.
    var agents: [String: (uid: UInt32, level: UInt32)] = [:]
    /// The calls that wait for what the daemon says of a user.
    var statusCalls: [Int: (call: GeoClueCall, name: String?)] = [:]
    var isInUse = false

    struct Program {
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
            return program.waiting.map {
                .fail($0.number, .accessDenied, "the bus does not name the user of this program")
            }
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

    mutating func answer(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
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

    mutating func answerManager(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
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

    mutating func createClient(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
        guard clients.values.count(where: { $0.owner == call.sender }) < Self.clientsPerProgram,
            clients.values.count(where: { $0.uid == uid }) < Self.clientsPerUser
        else { return [.fail(call.number, .limitsExceeded, "too many clients; delete those that are not needed")] }
        clientCount += 1
        let client = GeoClueClient(number: clientCount, owner: call.sender, uid: uid)
        clients[clientCount] = client
        return [.reply(call.number, [.objectPath(client.path)])]
    }

    /// The client with this path, if it is the program's own: others are not even known to be there.
    func ownClient(at path: String, of sender: String) -> GeoClueClient? {
        let prefix = GeoClueInterfaces.clientPath + "/"
        guard path.hasPrefix(prefix), let number = Int(path.dropFirst(prefix.count)),
            let client = clients[number], client.owner == sender, client.path == path
        else { return nil }
        return client
    }

    /// The location with this path, if it is one of the program's own clients.
    func ownLocation(at path: String, of sender: String) -> Location? {
        for client in clients.values where client.owner == sender {
            for (number, location) in client.locations where client.path(of: number) == path { return location }
        }
        return nil
    }

    mutating func removeClient(_ number: Int) -> [Step] {
        guard let client = clients.removeValue(forKey: number) else { return [] }
        return client.starting.map { .fail($0, .accessDenied, "the client was deleted") }
            + (client.isStarted ? [.endWatch(number)] : [])
    }

    // MARK: Start and stop

    mutating func start(_ number: Int, _ call: Int) -> [Step] {
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

    mutating func stop(_ number: Int) -> [Step] {
        guard let client = clients[number], client.isStarted else { return [] }
        clients[number]?.isStarted = false
        clients[number]?.starting = []
        return client.starting.map { .fail($0, .accessDenied, "the client was stopped") } + [.endWatch(number)]
            + setActive(false, number) + updateUse()
    }

    func openWatch(_ client: GeoClueClient) -> Step {
        .watch(client.number, client.program, client.request(within: limit(of: client.uid)))
    }

    mutating func setActive(_ isActive: Bool, _ number: Int) -> [Step] {
        guard let client = clients[number], client.isActive != isActive else { return [] }
        clients[number]?.isActive = isActive
        return [changed(client, ["Active": .boolean(isActive)])]
    }

    func changed(_ client: GeoClueClient, _ properties: [String: BusValue]) -> Step {
        .signal(
            path: client.path, interface: GeoClueInterfaces.properties, member: "PropertiesChanged",
            [.string(GeoClueInterfaces.client), .properties(properties), .strings([])], to: client.owner)
    }

    /// Tells all programs when the first client starts and the last one stops, for the desktop's indicator.
    mutating func updateUse() -> [Step] {
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
