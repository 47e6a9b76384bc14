import Glibc
import LocationInterface
import LocationKit
import SystemSupport

/// Asks who is connected, over a connection of its own.
struct ClientPoll {
    private let path: String
    private let waker: Waker
    private var connection: VarlinkConnection?
    private var names = UserNames()
    /// The caller may not know, so that asking again is of no use.
    private(set) var isOver = false

    init(path: String, waker: Waker) {
        self.path = path
        self.waker = waker
    }

    /// - Returns: `nil` if there is no answer this time.
    mutating func ask() -> MonitorState.Clients? {
        do throws(LocationError) {
            if connection == nil { connection = try VarlinkConnection(path: path, waker: waker, seconds: 2) }
            guard let list = try connection?.call(AdminInterface.Method.listClients, as: ClientList.self, seconds: 2)
            else { return nil }
            return .known(named(list.clients.filter { !isThisPoll($0) }))
        } catch {
            connection = nil
            switch error {
            case .unauthorized, .refused("org.varlink.service.InterfaceNotFound", _):
                isOver = true
                return .closed(reason: Self.advice)
            default: return nil
            }
        }
    }

    private func isThisPoll(_ client: ClientReport) -> Bool {
        client.pid == Int(getpid()) && client.request?.hasSuffix("Watch") != true
    }

    private mutating func named(_ clients: [ClientReport]) -> [ClientReport] {
        var clients = clients
        for index in clients.indices { clients[index].principal = names.words(clients[index].principal) }
        return clients
    }

    private static var advice: String {
        "only the control socket tells; "
            + (AdministratorCommand.isSuperuser
                ? "name it by --socket, or leave --socket and LOCATIOND_SOCKET out"
                : "an administrator sees them by `\(AdministratorCommand.text(socket: nil))`")
    }
}
