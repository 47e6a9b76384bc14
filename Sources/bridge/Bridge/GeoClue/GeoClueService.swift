import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import ServiceServer

/// What programs on the bus ask, and what they are answered: calls, the daemon's replies and the bus' news go in, steps
/// come out. It does no I/O.
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
        /// The daemon is asked what the user may know; ``applyStatus(_:of:at:)`` takes the answer.
        case askStatus(ServedProgram)
        /// The daemon is asked whether the user is at a screen that shows the request; ``applyFollowed(_:to:start:)``
        /// takes the answer.
        case askFollowed(Int, start: Int, ServedProgram)
        /// A program is refused the position by the desktop, for a reason that the journal has to say.
        case noteRefusal(ServedProgram, String, isForDesktopFile: Bool)
        /// The agent is asked how accurate locations may be.
        case askAgent(String)
        /// The agent is asked whether a program may know the position; ``apply(_:ofAgent:)`` takes the answer.
        case authorizeApp(String, desktopID: String, level: UInt32)
    }

    /// The most client objects of one program, of one user and of all. Each that is started has a descriptor, of the
    /// 8192 that the unit allows.
    static let (clientsPerProgram, clientsPerUser, clientLimit) = (32, 64, 4096)
    /// The most calls of a program that wait until it is identified, and of `Start` that wait for one client's daemon.
    static let (unidentifiedCalls, waitingStarts) = (32, 8)
    /// Units a second that the calls of one user may cost. Programs that show each of ten locations a second make 20
    /// calls.
    static let callsPerSecond = 200.0
    /// What it costs to begin a watch: the daemon opens a connection, looks up the user and sends its state.
    static let watchCost = 10.0
    /// The most bytes of the texts of a call; a desktop id and the names of interfaces are far shorter.
    static let callLimit = 4096

    /// Whether programs receive estimates in place of fixes.
    let estimates: Bool
    /// Whether the desktop file of an id is installed.
    let hasDesktopFile: (String) -> Bool
    var clients: [Int: GeoClueClient] = [:]
    var clientCount = 0
    /// The users of the programs, by the programs' unique names, with the calls that wait until the user is known.
    var programs: [String: Program] = [:]
    var agents = GeoClueAgents()
    /// What agents are asked about single programs.
    var apps = AppQuestions()
    /// The calls that wait for what the daemon says of a user.
    var statusCalls = StatusCalls()
    var rate = RequestRate(limit: Self.callsPerSecond)
    var isInUse = false

    struct Program {
        var uid: UInt32?
        var process: SenderProcess?
        var waiting: [GeoClueCall] = []
    }

    init(estimates: Bool = false, hasDesktopFile: @escaping (String) -> Bool) {
        self.estimates = estimates
        self.hasDesktopFile = hasDesktopFile
    }

    /// Whether nobody needs the service.
    var isIdle: Bool { clients.isEmpty && agents.isEmpty && statusCalls.isEmpty }

    // MARK: Calls

    mutating func receive(_ call: GeoClueCall, at now: NIODeadline) -> [Step] {
        guard call.textLength <= Self.callLimit else {
            return [.fail(call.number, .limitsExceeded, "the arguments are too long")]
        }
        if let uid = programs[call.sender]?.uid { return answerWithinRate(call, of: uid, at: now) }
        let isNew = programs[call.sender] == nil
        guard programs[call.sender, default: Program()].waiting.count < Self.unidentifiedCalls else {
            return [.fail(call.number, .limitsExceeded, "too many calls at once")]
        }
        programs[call.sender, default: Program()].waiting.append(call)
        return isNew ? [.identify(call.sender)] : []
    }

    /// The bus has said whose program it is; `nil` if it is nobody's, or gone.
    mutating func applyIdentity(
        _ uid: UInt32?, in process: SenderProcess? = nil, of sender: String, at now: NIODeadline
    ) -> [Step] {
        guard let program = programs.removeValue(forKey: sender) else { return [] }
        guard let uid else {
            return program.waiting.map {
                .fail($0.number, .accessDenied, "the bus does not name the user of this program")
            }
        }
        programs[sender] = Program(uid: uid, process: process)
        return program.waiting.flatMap { answerWithinRate($0, of: uid, at: now) }
    }

    /// A program has left the bus.
    mutating func forgetProgram(_ sender: String, at now: NIODeadline) -> [Step] {
        guard let program = programs.removeValue(forKey: sender) else { return [] }
        if let uid = program.uid { statusCalls.removeCalls(of: sender, uid: uid) }
        let own = clients.values.filter { $0.owner == sender }.map(\.number)
        var steps = own.flatMap { removeClient($0) }
        if let uid = agents.remove(sender) {
            let (outcomes, next) = apps.remove(agent: sender)
            steps += outcomes.flatMap { apply($0) } + next.map { askAbout($0) }
            steps += applyLimit(of: uid, at: now) + askAgents(at: now)
        }
        return steps + updateUse()
    }

    /// The rate is spent before anything is done for the call.
    private mutating func answerWithinRate(_ call: GeoClueCall, of uid: UInt32, at now: NIODeadline) -> [Step] {
        guard takeOwnRead(call) || rate.spend(uid: uid, at: now) else {
            let text = "this user's programs call more than \(Int(Self.callsPerSecond)) times a second; call less often"
            return [.fail(call.number, .limitsExceeded, text)]
        }
        let steps = answer(call, of: uid, at: now)
        let watches = steps.count { if case .watch = $0 { true } else { false } }
        if watches > 0 { rate.charge(Double(watches) * Self.watchCost, uid: uid, at: now) }
        return steps
    }

    /// Counts the read of a location against those that come with it; false if it is no such read, or none is left.
    private mutating func takeOwnRead(_ call: GeoClueCall) -> Bool {
        guard call.interface == GeoClueInterfaces.properties, let found = findLocation(at: call.path, of: call.sender),
            clients[found.client]?.locations[found.index].readsLeft ?? 0 > 0
        else { return false }
        clients[found.client]?.locations[found.index].readsLeft -= 1
        return true
    }

    mutating func answer(_ call: GeoClueCall, of uid: UInt32, at now: NIODeadline) -> [Step] {
        switch call.interface {
        case GeoClueInterfaces.introspectable: return introspect(call)
        case GeoClueInterfaces.properties: return answerProperties(call, of: uid, at: now)
        default: break
        }
        if call.path == GeoClueInterfaces.managerPath {
            guard call.interface ?? GeoClueInterfaces.manager == GeoClueInterfaces.manager else {
                return [unknownInterface(call)]
            }
            return answerManager(call, of: uid, at: now)
        }
        guard let client = ownClient(at: call.path, of: call.sender) else { return [unknownObject(call)] }
        guard call.interface ?? GeoClueInterfaces.client == GeoClueInterfaces.client else {
            return [unknownInterface(call)]
        }
        switch (call.member, call.signature) {
        case ("Start", ""): return start(client.number, call.number, at: now)
        case ("Stop", ""): return [.reply(call.number, [])] + stop(client.number)
        case ("Start", _), ("Stop", _): return [invalid(call)]
        default: return [unknownMethod(call)]
        }
    }

    mutating func answerManager(_ call: GeoClueCall, of uid: UInt32, at now: NIODeadline) -> [Step] {
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
            guard agents.add(call.sender, of: uid, id: call.arguments.first?.text ?? "", at: now) else {
                return [.fail(call.number, .limitsExceeded, "this user has too many agents; end those not needed")]
            }
            return [.reply(call.number, [])] + askAgents(at: now)
        case ("GetClient", _), ("CreateClient", _), ("DeleteClient", _), ("AddAgent", _): return [invalid(call)]
        default: return [unknownMethod(call)]
        }
    }

    mutating func createClient(_ call: GeoClueCall, of uid: UInt32) -> [Step] {
        guard clients.values.count(where: { $0.owner == call.sender }) < Self.clientsPerProgram,
            clients.values.count(where: { $0.uid == uid }) < Self.clientsPerUser, clients.count < Self.clientLimit
        else { return [.fail(call.number, .limitsExceeded, "too many clients; delete those that are not needed")] }
        clientCount += 1
        let client = GeoClueClient(
            number: clientCount, owner: call.sender, uid: uid, process: programs[call.sender]?.process,
            estimates: estimates)
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
        findLocation(at: path, of: sender).flatMap { clients[$0.client]?.locations[$0.index].location }
    }

    private func findLocation(at path: String, of sender: String) -> (client: Int, index: Int)? {
        guard let end = path.lastIndex(of: "/").flatMap({ path[..<$0].lastIndex(of: "/") }),
            let client = ownClient(at: String(path[..<end]), of: sender),
            let index = client.locations.firstIndex(where: { client.path(of: $0.number) == path })
        else { return nil }
        return (client.number, index)
    }

    mutating func removeClient(_ number: Int) -> [Step] {
        guard let client = clients.removeValue(forKey: number) else { return [] }
        apps.remove(client: number)
        return client.starting.map { .fail($0, .accessDenied, "the client was deleted") }
            + (client.isStarted ? [.endWatch(number)] : [])
    }

    // MARK: Start and stop

    mutating func start(_ number: Int, _ call: Int, at now: NIODeadline) -> [Step] {
        guard let client = clients[number] else { return [] }
        if client.desktopID.isEmpty {
            return [.fail(call, .accessDenied, "set the property DesktopId before Start")]
        }
        if client.isStarted && client.starting.isEmpty || apps.isHeld(number) { return [.reply(call, [])] }
        guard client.starting.count < Self.waitingStarts else {
            return [.fail(call, .limitsExceeded, "the client is being started already")]
        }
        if client.starting.isEmpty { clients[number]?.startDeadline = now + AppQuestions.timeout }
        clients[number]?.starting.append(call)
        guard agents.limit(of: client.uid) > AccuracyLevel.none else {
            if client.switchDeadline == nil { clients[number]?.switchDeadline = now + Self.switchPatience }
            return []
        }
        // Nothing begins before a new agent has answered.
        guard !client.isStarted, !agents.isAwaited(of: client.uid) else { return [] }
        return beginWithConsent(number, at: now)
    }

    /// How long a call of `Start` waits for the desktop's switch: programs that see it being switched on may call
    /// before the agent has told the change.
    static let switchPatience = TimeAmount.milliseconds(500)
    static let switchedOff =
        "the user has switched off locations in the desktop's settings, or the desktop's agent does not answer"

    mutating func begin(_ client: GeoClueClient) -> [Step] {
        let number = client.number
        clients[number]?.isStarted = true
        clients[number]?.hasRequested = false
        clients[number]?.starts += 1
        return [openWatch(client)]
    }

    mutating func stop(_ number: Int) -> [Step] {
        guard let client = clients[number] else { return [] }
        let refusals = client.starting.map { Step.fail($0, .accessDenied, "the client was stopped") }
        clients[number]?.starting = []
        clients[number]?.endWait()
        apps.remove(client: number)
        guard client.isStarted else { return refusals }
        clients[number]?.isStarted = false
        clients[number]?.view.applyOutage()
        // Without a watch nobody says when the program's user may know no more.
        return refusals + [.endWatch(number)] + setActive(false, number) + forgetLocations(number)
    }

    /// The accuracy level that the user's agents allow to a client.
    func limit(of client: GeoClueClient) -> UInt32 { min(agents.limit(of: client.uid), client.allowedLevel) }

    mutating func openWatch(_ client: GeoClueClient) -> Step {
        let request = client.request(within: limit(of: client))
        clients[client.number]?.requested = request
        clients[client.number]?.view.applyOutage()
        return .watch(client.number, client.program, request)
    }

    mutating func setActive(_ isActive: Bool, _ number: Int) -> [Step] {
        if !isActive { clients[number]?.receives = false }
        let use = updateUse()
        guard let client = clients[number], client.isActive != isActive else { return use }
        clients[number]?.isActive = isActive
        return [changed(client, ["Active": .boolean(isActive)])] + use
    }

    func changed(_ client: GeoClueClient, _ properties: [String: BusValue]) -> Step {
        .signal(
            path: client.path, interface: GeoClueInterfaces.properties, member: "PropertiesChanged",
            [.string(GeoClueInterfaces.client), .properties(properties), .strings([])], to: client.owner)
    }

    /// Tells all programs, for the desktop's indicator, when the first program receives locations and the last one no
    /// longer does. The desktop's own parts do not count.
    mutating func updateUse() -> [Step] {
        let isInUse = clients.values.contains { $0.receives && !$0.isDesktopPart }
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
