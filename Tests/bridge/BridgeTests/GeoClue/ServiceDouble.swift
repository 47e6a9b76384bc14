import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore

@testable import Bridge

/// The service, with what it has answered and sent.
struct ServiceDouble {
    var service = GeoClueService(hasDesktopFile: { $0 != "org.example.nowhere" })
    /// What the journal is told of programs that the desktop refuses.
    private(set) var notedRefusals: [(label: String, reason: String, isForDesktopFile: Bool)] = []
    private(set) var replies: [Int: [BusValue]] = [:]
    private(set) var errors: [Int: GeoClueError] = [:]
    private(set) var signals: [(member: String, values: [BusValue], destination: String?)] = []
    /// The requests of the watches that are open.
    private(set) var watches: [Int: WatchRequest] = [:]
    /// How often a watch was opened.
    private(set) var opened = 0
    private(set) var programs: [Int: ServedProgram] = [:]
    private(set) var identified: [String] = []
    private(set) var requested: [ServedProgram] = []
    /// The users about whom the daemon was asked.
    private(set) var statusQuestions: [UInt32] = []
    private(set) var askedAgents: [String] = []
    /// Whether the daemon says that a person is being asked; `nil` if it says nothing.
    var isFollowed: Bool? = false
    private(set) var followedQuestions: [(client: Int, start: Int)] = []
    /// The programs that agents were asked about.
    private(set) var askedApps: [(agent: String, desktopID: String, level: UInt32)] = []
    /// What each agent says at once of a program; `nil` if it says nothing before the test does.
    var appAnswer: AppQuestions.Answer? = .allowed(8)
    private var calls = 0
    private(set) var now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    /// The time that passes before each call: by default no user calls too often.
    var pause = TimeAmount.milliseconds(100)

    static let manager = "/org/freedesktop/GeoClue2/Manager"
    static let properties = "org.freedesktop.DBus.Properties"

    mutating func perform(_ steps: [GeoClueService.Step]) {
        for step in steps {
            switch step {
            case .reply(let number, let values): replies[number] = values
            case .fail(let number, let error, _): errors[number] = error
            case .signal(_, _, let member, let values, let destination): signals.append((member, values, destination))
            case .identify(let sender): identified.append(sender)
            case .watch(let number, let program, let request):
                (programs[number], watches[number]) = (program, request)
                opened += 1
            case .endWatch(let number): watches[number] = nil
            case .requestAuthorization(let program): requested.append(program)
            case .noteRefusal(let program, let reason, let isForDesktopFile):
                notedRefusals.append((program.label, reason, isForDesktopFile))
            case .askStatus(let program): statusQuestions.append(program.uid)
            case .askAgent(let sender): askedAgents.append(sender)
            case .askFollowed(let number, let start, _):
                followedQuestions.append((number, start))
                if let isFollowed { perform(service.applyFollowed(isFollowed, to: number, start: start)) }
            case .authorizeApp(let sender, let desktopID, let level):
                askedApps.append((sender, desktopID, level))
                if let appAnswer { tell(appAnswer, ofAppBy: sender) }
            }
        }
    }

    /// Calls a method, and returns the number of the call.
    @discardableResult
    mutating func call(
        _ member: String, _ arguments: [BusValue] = [], at path: String = Self.manager, interface: String? = nil,
        from sender: String = ":1.1"
    ) -> Int {
        calls += 1
        now = now + pause
        let call = GeoClueCall(
            number: calls, sender: sender, path: path, interface: interface, member: member,
            signature: arguments.map(\.signature).joined(), arguments: arguments)
        perform(service.receive(call, at: now))
        return calls
    }

    mutating func identify(_ uid: UInt32?, _ sender: String = ":1.1") {
        perform(service.applyIdentity(uid, of: sender, at: now))
    }

    /// A program leaves the bus.
    mutating func forget(_ sender: String) { perform(service.forgetProgram(sender, at: now)) }

    /// Time passes.
    mutating func wait(_ time: TimeAmount) {
        now = now + time
        perform(service.advance(to: now))
    }

    /// A program of a user becomes an agent; returns the number of the call.
    @discardableResult
    mutating func addAgent(_ sender: String, of uid: UInt32 = 1000, id: String = "gnome-shell") -> Int {
        let call = call("AddAgent", [.string(id)], from: sender)
        if replies[call] == nil, errors[call] == nil { identify(uid, sender) }
        return call
    }

    mutating func tell(_ answer: GeoClueAgents.Answer, by agent: String) {
        perform(service.apply(answer, ofAgent: agent, at: now))
    }

    mutating func tell(_ answer: AppQuestions.Answer, ofAppBy agent: String) {
        perform(service.apply(answer, ofAgent: agent, at: now))
    }

    /// The agent says that it has another answer.
    mutating func noteChange(of agent: String) { perform(service.noteChange(ofAgent: agent, at: now)) }

    mutating func tell(_ status: ServiceStatus?, about uid: UInt32 = 1000) {
        perform(service.applyStatus(status, of: uid, at: now))
    }

    /// Asks for the level that is available; returns the number of the call.
    mutating func askAvailable(from sender: String = ":1.1") -> Int {
        call(
            "Get", [.string("org.freedesktop.GeoClue2.Manager"), .string("AvailableAccuracyLevel")],
            interface: Self.properties, from: sender)
    }

    /// Creates a client object with a desktop id, and returns its path.
    mutating func client(of sender: String = ":1.1", level: UInt32 = 8, uid: UInt32 = 1000) -> String {
        let call = call("CreateClient", from: sender)
        if replies[call] == nil { identify(uid, sender) }
        let path = replies[call]?.first?.text ?? ""
        set("DesktopId", .string("org.example.map"), of: path, from: sender)
        set("RequestedAccuracyLevel", .uint32(level), of: path, from: sender)
        return path
    }

    @discardableResult
    mutating func set(_ name: String, _ value: BusValue, of path: String, from sender: String = ":1.1") -> Int {
        call(
            "Set", [.string("org.freedesktop.GeoClue2.Client"), .string(name), .variant(value)], at: path,
            interface: Self.properties, from: sender)
    }

    mutating func get(
        _ name: String, of path: String, _ interface: String = "org.freedesktop.GeoClue2.Client",
        from sender: String = ":1.1"
    ) -> BusValue? {
        let call = call("Get", [.string(interface), .string(name)], at: path, interface: Self.properties, from: sender)
        guard case .variant(let value)? = replies[call]?.first else { return nil }
        return value
    }

    mutating func tell(
        _ authorization: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, isPending: Bool = false,
        to client: Int = 1
    ) {
        let status = ServiceStatus(
            authorization: authorization, accuracy: accuracy, enabled: true,
            source: SourceStatus(state: .searching, reason: "a reason"), fixAge: nil, authorizationPending: isPending)
        perform(service.apply(status, to: client, at: now))
    }

    mutating func tell(_ sequence: Int64, to client: Int = 1, _ change: (inout Location) -> Void = { _ in }) {
        guard let place = Coordinate(latitude: 48.8584, longitude: 2.2945) else { return }
        var location = Location(
            coordinate: place, mode: .threeDimensional,
            monotonicTime: BootInstant(seconds: 1), source: SourceInformation(name: "gpsd"))
        location.sequence = sequence
        change(&location)
        perform(service.apply(location, to: client, at: UTCTime(seconds: 1_700_000_000, nanoseconds: 250_000_000)))
    }

    mutating func forgetSignals() { signals = [] }
}
