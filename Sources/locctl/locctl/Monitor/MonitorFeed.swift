import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// Feeds the model from the daemon: a watch of everything, and the list of clients every other second. It runs on a
/// thread of its own until the program ends, and reconnects to a daemon that was restarted.
struct MonitorFeed: Sendable {
    let options: MonitorOptions
    let shared: MonitorSharedState

    /// The options of the command line that the feed uses.
    struct MonitorOptions: Sendable {
        /// The daemon's socket; `nil` for the most privileged one that the caller may use.
        let socket: String?
        let passive: Bool
        let estimate: Bool
    }

    /// Seconds between two attempts to connect.
    private static let pause = 1.0
    /// Seconds between two fetches of the clients.
    private static let clientInterval = 2.0

    func run() {
        guard let waker = Waker() else {
            return shared.change { $0.connectionLost("no descriptor is left", at: MachineClock.now) }
        }
        while true {
            do throws(LocationError) {
                try follow(waker)
            } catch {
                let reason = "\(error)"
                shared.change { $0.connectionLost(reason, at: MachineClock.now) }
            }
            _ = waker.wait(for: -1, events: 0, seconds: Self.pause)
        }
    }

    /// Returns after the daemon's last reply.
    private func follow(_ waker: Waker) throws(LocationError) {
        // Chosen anew each time: after a restart the caller may have access to another socket.
        let path = options.socket ?? SocketPath.mostPrivileged
        let connection = try VarlinkConnection(path: path, waker: waker, seconds: 5, patience: 20)
        var request = WatchRequest()
        (request.satellites, request.heading) = (true, true)
        (request.passive, request.estimate) = (options.passive, options.estimate)
        request.purpose = "locctl monitor"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var clients = ClientPoll(path: path, waker: waker)
        var next = MachineClock.now
        while true {
            let left = clients.isOver ? .infinity : next.seconds(since: MachineClock.now)
            if left <= 0 {
                let answer = clients.fetchClients()
                shared.change { $0.clients = answer ?? $0.clients }
                next = MachineClock.now.advanced(bySeconds: Self.clientInterval)
                continue
            }
            guard let reply = try connection.nextReply(seconds: left) else { continue }
            let update = try reply.answer(as: WatchReply.self)
            shared.change { $0.apply(update, at: MachineClock.now) }
            guard reply.continues else {
                throw .daemonNotRunning(path: path, reason: "the service is \(update.status?.reason ?? "gone")")
            }
        }
    }
}

/// Fetches the list of clients over a connection of its own.
struct ClientPoll {
    private let path: String
    private let waker: Waker
    private var connection: VarlinkConnection?
    private var names = UserNameCache()
    /// True if the caller is not authorized, so that another attempt is of no use.
    private(set) var isOver = false

    init(path: String, waker: Waker) {
        self.path = path
        self.waker = waker
    }

    /// - Returns: `nil` if there is no answer this time.
    mutating func fetchClients() -> MonitorModel.Clients? {
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
        "the list needs the control socket; "
            + (AdministratorCommand.isSuperuser
                ? "name it with --socket, or unset --socket and LOCATIOND_SOCKET"
                : "an administrator can use `\(AdministratorCommand.text(socket: nil))`")
    }
}
