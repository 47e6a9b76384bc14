@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Varlink

/// Performs the actions of a ``WatchMultiplexer`` on the client thread: opens and closes connections, sets timers and
/// delivers events.
final class WatchMultiplexerDriver {
    /// A manager, retained while it has an interest.
    private struct RegisteredClient {
        let id: WatchMultiplexer.ClientID
        weak var client: (any TransportClient)?
        var held: (any TransportClient)?
    }

    let locationCalls: SharedCalls<LocationRequest, LocationReply>
    let authorizationCalls: SharedCalls<RequestAuthorizationParameters, StatusReply>
    private let path: String
    private var multiplexer: WatchMultiplexer
    private var connections: [WatchRequest: ClientConnection] = [:]
    private var clients: [ObjectIdentifier: RegisteredClient] = [:]
    private var identities: [WatchMultiplexer.ClientID: ObjectIdentifier] = [:]
    private var lastNumber = 0
    private var timer: ClientLoop.TimerID?
    private var wakeUps: [ObjectIdentifier: ClientLoop.TimerID] = [:]

    init(path: String) {
        self.path = path
        multiplexer = WatchMultiplexer(path: path)
        locationCalls = SharedCalls(LocationInterface.Method.getLocation, more: false, at: path)
        authorizationCalls = SharedCalls(LocationInterface.Method.requestAuthorization, more: true, at: path)
    }

    func setInterest(_ interest: Interest, of client: any TransportClient, _ loop: ClientLoop) {
        let name = ObjectIdentifier(client)
        if clients[name]?.client !== client { register(client) }
        guard let id = clients[name]?.id else { return }
        clients[name]?.held = client
        multiplexer.setInterest(interest, of: id)
        scheduleDueActions(loop)
    }

    func endInterest(of name: ObjectIdentifier, _ loop: ClientLoop) {
        guard let id = clients[name]?.id else { return }
        clients[name]?.held = nil
        multiplexer.setInterest(Interest(), of: id)
        scheduleDueActions(loop)
    }

    /// Calls `body` at that moment, in place of the moment given before; `nil` cancels it.
    func scheduleWakeUp(
        of name: ObjectIdentifier, at moment: BootInstant?, _ loop: ClientLoop, _ body: @escaping () -> Void
    ) {
        if let former = wakeUps.removeValue(forKey: name) { loop.cancel(former) }
        guard let moment else { return }
        wakeUps[name] = loop.schedule(at: moment) { [self] _ in
            wakeUps[name] = nil
            body()
        }
    }

    private func register(_ client: any TransportClient) {
        let name = ObjectIdentifier(client)
        // A new object may have the address of one that is gone.
        if let former = clients[name]?.id { unregister(name, former) }
        lastNumber += 1
        let id = WatchMultiplexer.ClientID(number: lastNumber)
        clients[name] = RegisteredClient(id: id, client: client)
        identities[id] = name
    }

    private func unregister(_ name: ObjectIdentifier, _ id: WatchMultiplexer.ClientID) {
        multiplexer.removeClient(id)
        clients[name] = nil
        identities[id] = nil
    }

    /// Runs once for all interests that were set meanwhile, before any of their clients receives more.
    private func scheduleDueActions(_ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = loop.scheduleBeforeInput { [self] loop in runDueActions(loop) }
    }

    private func schedule(at moment: BootInstant?, _ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = moment.map { loop.schedule(at: $0) { [self] loop in runDueActions(loop) } }
    }

    private func runDueActions(_ loop: ClientLoop) {
        timer = nil
        for (name, registered) in clients where registered.client == nil { unregister(name, registered.id) }
        perform(multiplexer.nextActions(at: loop.now, jitter: .random(in: 0..<1)), loop)
    }

    private func perform(_ actions: [WatchMultiplexer.Action], _ loop: ClientLoop) {
        var actions = actions[...]
        while let action = actions.popFirst() {
            switch action {
            case .open(let request):
                do throws(LocationError) {
                    try open(request, loop)
                } catch {
                    connections.removeValue(forKey: request)?.close()
                    actions += multiplexer.watchEnded(request, error, at: loop.now, jitter: .random(in: 0..<1))
                }
            case .close(let request): connections.removeValue(forKey: request)?.close()
            case .deliver(let id, let event): identities[id].flatMap { clients[$0]?.held }?.receive(event)
            }
        }
        schedule(at: multiplexer.deadline, loop)
    }

    private func open(_ request: WatchRequest, _ loop: ClientLoop) throws(LocationError) {
        let connection = try loop.connect(to: path) { [self] in handle($0, request, loop) }
        connections[request] = connection
        var stated = request
        stated.library = Release.library
        try connection.send(LocationInterface.Method.watch, stated, more: true)
    }

    private func handle(_ input: ClientConnection.Input, _ request: WatchRequest, _ loop: ClientLoop) {
        let jitter = Double.random(in: 0..<1)
        do throws(LocationError) {
            switch input {
            case .ended(let error): throw error
            case .reply(let reply):
                var update = try reply.answer(as: WatchReply.self)
                if let location = update.location?.value { update.location?.value = location.arrived(by: loop.now) }
                perform(
                    multiplexer.receive(update, continues: reply.continues, on: request, at: loop.now, jitter: jitter),
                    loop)
            }
        } catch {
            connections.removeValue(forKey: request)?.close()
            perform(multiplexer.watchEnded(request, error, at: loop.now, jitter: jitter), loop)
        }
    }
}
