import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// What belongs to the present call of a connection, and to no later one.
struct CallContext {
    /// The method's name, where administrators see it.
    var request: String?
    /// What the position is for, as the client claims.
    var purpose: String?
    /// The name and version of the client's library, as it claims in a watch or monitor.
    var library: String?
    /// The token by which the call administers on its owner's behalf; `nil` if the client itself does.
    var tokenUse: TokenUse?
    /// Whether the call administers with polkit's consent.
    var isGated = false
    /// The question to polkit that the call waits for; `nil` while there is none.
    var question: GateQuestion?
}

/// A connection, its principal, and what it is doing.
///
/// Its many properties are the columns of what administrators see of it.
final class ServerClient: RegisteredClient {
    enum Activity {
        case idle
        case watching(WatchID)
        case requesting(RequestID)
        /// Waits for an administrator's decision on its authorization, and on full accuracy if it asked for that.
        case authorizing(fullAccuracy: Bool)
        /// Is told of its user's pending requests.
        case watchingRequests
        /// Is told which programs receive locations: those of its user, or of all users.
        case watchingUsage(all: Bool)
    }

    let id: Int
    let connection: Connection
    private(set) var caller: UserLimits.Caller
    private(set) var principal: Principal
    /// The program that the connecting process, a bridge, serves with this connection; `principal` is its owner then.
    private(set) var servedProgram: ServedProgram?
    /// The principal of the connecting process, while the connection serves a program of another.
    private var bridge: Principal?
    /// Whether the connecting process may call on behalf of other users' programs, by the present policy.
    var mayServeOthers: Bool
    /// The process that connected. The connection ends when it ends.
    let process: ProcessDescriptor
    /// The process of the program that the connection is for; `nil` if a bridge does not name it.
    private(set) lazy var program: ProgramProcess? = ProgramProcess(pid: connectingPrincipal.pid, descriptor: process)
    /// What that process ran when the program asked for the position.
    var image: ProcessImage?
    var permission: Permission {
        didSet {
            auditedDay = nil
            connection.disableDirectSend()
        }
    }
    let socket: SocketKind
    let refusal: ErrorReply?
    /// The state of a reader of NMEA sentences; `nil` for a client that makes calls.
    var reading: NMEAReading?
    let since: UTCTime
    var activity = Activity.idle
    var call = CallContext()
    /// What it has called itself in a request for authorization.
    var claimedName: String?
    var sent = 0
    /// When the client fell behind; `nil` while it has read everything.
    var behindSince: BootInstant?
    /// Since when its watch or monitor receives locations; `nil` for a client without one.
    var receivesSince: BootInstant?
    /// The locations sent to it that are not in the table of usage yet.
    var unlisted = UsageTable.Count()
    /// The day on which a delivery to this client was last recorded in the audit; `nil` after a change of permission.
    var auditedDay: Int?

    init(
        id: Int, connection: Connection, caller: UserLimits.Caller, principal: Principal, process: ProcessDescriptor,
        permission: Permission,
        socket: SocketKind, mayServeOthers: Bool = false, since: UTCTime, refusal: ErrorReply? = nil
    ) {
        self.id = id
        self.caller = caller
        self.refusal = refusal
        self.connection = connection
        self.principal = principal
        self.process = process
        self.permission = permission
        self.socket = socket
        self.mayServeOthers = mayServeOthers
        reading = socket == .nmea ? NMEAReading() : nil
        self.since = since
    }

    /// From now on the connection is that of a program that the connecting process serves.
    func serve(
        _ served: ServedProgram, in program: ProgramProcess?, as principal: Principal, caller: UserLimits.Caller
    ) {
        servedProgram = served
        self.program = program
        bridge = self.principal
        self.principal = principal
        self.caller = caller
    }

    /// The number of ``program``.
    var programPID: Int32? { servedProgram == nil ? principal.pid : program?.pid }

    /// The principal of the process that connected, whomever the connection serves.
    var connectingPrincipal: Principal { bridge ?? principal }

    /// Whether the next call may name a program to be served from then on.
    var mayBeginServing: Bool { mayServeOthers && servedProgram == nil }

    /// Who administers by the present call, for the log and the audit.
    var administrator: String {
        call.tokenUse?.description ?? (call.isGated ? "\(principal) (polkit)" : "\(principal)")
    }

    /// What it is, for administrators: the label of the program that is served.
    var label: String? { servedProgram?.label.sanitizedAsClaim() }

    /// Checks the program that a call names: the one that the connection serves, or any if it serves none yet.
    func checkProgram(_ program: ServedProgram) throws(ErrorReply) {
        if let servedProgram {
            guard servedProgram == program else { throw otherProgram }
            return
        }
        do throws(InvalidField) { _ = try program.validated() } catch {
            throw .invalidParameter(error.field, reason: error.reason)
        }
        if let unit = program.unit, !Subject.isUnit(unit) {
            throw .invalidParameter("onBehalfOf.unit", reason: "it is NAME.service")
        }
    }

    /// The error of a call for another program than the one that the connection serves.
    var otherProgram: ErrorReply {
        .invalidParameter("onBehalfOf", reason: "this connection serves \(principal); open another for another")
    }
}
