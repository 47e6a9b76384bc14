import Authorization
import LocationHub
import LocationInterface
import LocationModel

/// A connection together with who it is and what it is doing.
final class Client {
    enum Activity {
        case idle
        case watching(WatchID)
        case requesting(RequestID)
        /// Over the limit: its first call is answered with it.
        case refused(limit: Int)
    }

    let id: Int
    let connection: Connection
    let principal: Principal
    let permission: Permission
    let socket: SocketKind
    let since: UTCTime
    var activity = Activity.idle
    var request: String?
    var purpose: String?
    var sent = 0
    /// Since when something sent waits to be read.
    var behindSince: BootInstant?

    init(
        id: Int, connection: Connection, principal: Principal, permission: Permission, socket: SocketKind,
        since: UTCTime
    ) {
        self.id = id
        self.connection = connection
        self.principal = principal
        self.permission = permission
        self.socket = socket
        self.since = since
    }
}
