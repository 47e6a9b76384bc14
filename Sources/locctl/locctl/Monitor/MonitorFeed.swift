import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
@_spi(Programs) import SystemSupport
import Varlink

/// Feeds the model from the daemon: a watch of everything, and the list of clients every other second, on a thread of
/// its own until the program ends.
struct MonitorFeed: Sendable {
    let options: MonitorOptions
    let shared: MonitorSharedState

    /// The options of the command line that the feed uses.
    struct MonitorOptions: Sendable {
        /// The daemon's socket; `nil` for the most privileged one that the caller may use.
        let socket: String?
        let passive: Bool
        let estimate: Bool

        /// Chosen anew each time: after a restart the caller may have access to another one.
        var path: String { socket ?? SocketPath.mostPrivileged }
    }

    /// Seconds between two fetches of the clients.
    private static let clientInterval = 2.0

    func run() {
        var request = WatchRequest()
        (request.satellites, request.heading) = (true, true)
        (request.passive, request.estimate) = (options.passive, options.estimate)
        request.purpose = "locctl monitor"
        let watch = LastingCall<WatchReply>(LocationInterface.Method.watch, request, at: options.path) { event in
            let now = MachineClock.now
            switch event {
            case .answer(let update): shared.change { $0.apply(update, at: now) }
            case .failed(let error, _):
                let reason = "\(error)"
                shared.change { $0.connectionLost(reason, at: now) }
            }
        }
        guard watch != nil, let waker = Waker() else {
            return shared.change { $0.connectionLost("no descriptor is left", at: MachineClock.now) }
        }
        var clients: ClientPoll?
        while true {
            // So it is at first, and after each outage.
            if case .unknown = shared.current.clients { clients = nil }
            var poll = clients ?? ClientPoll(path: options.path, waker: waker)
            if !poll.isOver, let answer = poll.fetchClients() { shared.change { $0.clients = answer } }
            clients = poll
            _ = waker.wait(for: -1, events: 0, seconds: Self.clientInterval)
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
