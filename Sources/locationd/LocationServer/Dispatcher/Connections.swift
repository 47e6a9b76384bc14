import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Synchronization
import Varlink

/// The connections, whose they are, and the limits of their users. The dispatcher alone adds and removes clients; the
/// services read them.
final class Connections {
    private let context: ServerContext
    let registry: ClientRegistry<ServerClient>
    /// Admitted clients, by the number that administrators see.
    private(set) var clients: [Int: ServerClient] = [:]
    /// `nil` before ``ServerDispatcher/watchProcesses()``; until then no connection is admitted.
    var processes: (any ProcessEnds)?
    let units = ControlGroupTree()
    let usersServingOthers: UsersServingOthers
    /// Of clients that have left.
    private(set) var receiverShares = ReceiverShares()
    /// Connections that were closed at once, or were sent an error.
    var refusedCount = 0
    /// Calls that were answered with an error, and invalid requests.
    var badRequests = 0
    private var heapTrim = HeapTrimPolicy()
    private var lastNumber = 0

    init(_ context: ServerContext) {
        self.context = context
        let settings = context.settings
        registry = ClientRegistry(
            UserLimits(settings.userLimits, capacity: settings.clientCapacity, loop: context.loop), on: context.loop)
        usersServingOthers = UsersServingOthers(settings.policy.usersServingOthers)
    }

    var limits: UserLimits { registry.limits }

    /// A number for a client or a request.
    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func contains(_ client: ServerClient) -> Bool { clients[client.id] === client }

    /// The connections of a program.
    func ofProcess(_ pid: Int32, user uid: UInt32) -> [ServerClient] {
        clients.values.filter { $0.principal.uid == uid && $0.programPID == pid }
    }

    /// - Parameter client: admitted, or refused and to be sent the error.
    func add(_ client: ServerClient) {
        limitRequests(of: client)
        registry.add(client)
        trimHeapIfWorthwhile()
        if client.refusal == nil { clients[client.id] = client }
    }

    /// - Parameter receiverTime: seconds for which the receivers were on for the client.
    func forget(_ client: ServerClient, receiverTime: Double) {
        clients[client.id] = nil
        receiverShares.add(receiverTime, to: "\(client.principal)")
    }

    /// Deferred, because the memory of clients that leave together is free only when all of them are released.
    func trimHeapIfWorthwhile() {
        guard heapTrim.isWorthwhile(at: registry.count) else { return }
        context.loop.schedule(after: 1) { [weak self] in self?.context.environment.operations.trimHeap() }
    }

    func disconnect(_ client: ServerClient, reason: String) {
        context.logger.log(
            .clientDisconnected,
            [
                "client": "\(client.id)", "pid": "\(client.principal.pid)", "principal": "\(client.principal)",
                "reason": "\(reason)",
            ])
        client.connection.close()
    }

    // MARK: Limits

    func applySettings() {
        limits.apply(context.settings.userLimits)
        usersServingOthers.replace(by: context.settings.policy.usersServingOthers)
    }

    /// Which limits apply to a user.
    func caller(of uid: UInt32, connectsForOthers: Bool = false) -> UserLimits.Caller {
        let isExempt = context.settings.policy.isExemptFromLimits(uid: uid)
        return UserLimits.Caller(
            uid: uid, isExempt: isExempt, connectsForOthers: connectsForOthers && !isExempt)
    }

    /// Whose limits count for a program. Nobody who is served is exempt: an administrator whom the limits shut out has
    /// the daemon's own sockets, and a program that was taken over could name an exempt user.
    static func servedCaller(of program: ServedProgram) -> UserLimits.Caller {
        UserLimits.Caller(uid: program.uid, isExempt: false)
    }

    /// Limits the length of requests: a client that was refused authorization has no need for long ones. A client that
    /// waits for a decision may have many regions to name.
    func limitRequests(of client: ServerClient) {
        guard client.socket != .nmea else { return }
        let isRefused = [.denied, .restricted].contains(client.permission.authorization)
        client.connection.requestLimit =
            isRefused ? context.settings.requestLimitRefused : context.settings.limits.requestSize
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

    /// The error of a call above the rate, which is logged.
    func tooManyRequests(of principal: Principal) -> ErrorReply {
        context.logger.logLimit("requests-per-second", limits.callsPerSecond, of: principal)
        return .tooManyRequests(limit: limits.callsPerSecond)
    }
}

/// The users who may call on behalf of others by the present policy, also for the thread that accepts connections.
final class UsersServingOthers: Sendable {
    private let users: Mutex<Set<UInt32>>

    init(_ users: Set<UInt32>) { self.users = Mutex(users) }

    func contains(_ uid: UInt32) -> Bool { users.withLock { $0.contains(uid) } }

    func replace(by users: Set<UInt32>) { self.users.withLock { $0 = users } }
}
