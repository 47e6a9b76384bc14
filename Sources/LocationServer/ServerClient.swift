import Authorization
import LocationHub
import LocationInterface
import LocationModel
import Varlink
import VarlinkServer

/// A connection together with who it is and what it is doing.
final class ServerClient: RegisteredClient {
    enum Activity {
        case idle
        case watching(WatchID)
        case requesting(RequestID)
        /// Waits for somebody to decide whether it may know.
        case authorizing
    }

    let id: Int
    let connection: Connection
    let caller: UserLimits.Caller
    let principal: Principal
    /// Who connected; the connection ends with it.
    let process: ProcessDescriptor
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
    var request: String?
    var purpose: String?
    var sent = 0
    /// Since when something sent waits to be read.
    var behindSince: BootInstant?
    /// The day on which a location it got under its present permission was last noted.
    var auditedDay: Int?

    init(
        id: Int, connection: Connection, caller: UserLimits.Caller, principal: Principal, process: ProcessDescriptor,
        permission: Permission,
        socket: SocketKind, since: UTCTime, refusal: ErrorReply? = nil
    ) {
        self.id = id
        self.caller = caller
        self.refusal = refusal
        self.connection = connection
        self.principal = principal
        self.process = process
        self.permission = permission
        self.socket = socket
        reading = socket == .nmea ? NMEAReading() : nil
        self.since = since
    }
}
