@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import Varlink

/// Performs the actions of a ``WatchSharing`` on the client thread: opens and closes sessions, and delivers events.
final class SharedWatches {
    /// A manager, retained while it has an interest.
    private struct RegisteredClient {
        let id: WatchSharing.ClientID
        weak var client: (any TransportClient)?
        var held: (any TransportClient)?
    }

    let locationCalls: SharedCalls<LocationRequest, LocationReply>
    let authorizationCalls: SharedCalls<RequestAuthorizationParameters, StatusReply>
    private let path: String
    private var sharing = WatchSharing()
    private var sessions: [WatchRequest: SessionDriver<WatchReply>] = [:]
    private var clients: [ObjectIdentifier: RegisteredClient] = [:]
    private var identities: [WatchSharing.ClientID: ObjectIdentifier] = [:]
    private var lastNumber = 0
    private var update: ClientLoop.TimerID?
    private var wakeUps: [ObjectIdentifier: ClientLoop.TimerID] = [:]

    init(path: String) {
        self.path = path
        locationCalls = SharedCalls(LocationInterface.Method.getLocation, more: false, at: path)
        authorizationCalls = SharedCalls(LocationInterface.Method.requestAuthorization, more: true, at: path)
    }

    func setInterest(_ interest: Interest, of client: any TransportClient, _ loop: ClientLoop) {
        let name = ObjectIdentifier(client)
        if clients[name]?.client !== client { register(client) }
        guard let id = clients[name]?.id else { return }
        clients[name]?.held = client
        sharing.setInterest(interest, of: id)
        scheduleUpdate(loop)
    }

    func endInterest(of name: ObjectIdentifier, _ loop: ClientLoop) {
        guard let id = clients[name]?.id else { return }
        clients[name]?.held = nil
        sharing.setInterest(Interest(), of: id)
        scheduleUpdate(loop)
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
        let id = WatchSharing.ClientID(number: lastNumber)
        clients[name] = RegisteredClient(id: id, client: client)
        identities[id] = name
    }

    private func unregister(_ name: ObjectIdentifier, _ id: WatchSharing.ClientID) {
        sharing.removeClient(id)
        clients[name] = nil
        identities[id] = nil
    }

    /// Runs once for all interests that were set meanwhile, before any of their clients receives more.
    private func scheduleUpdate(_ loop: ClientLoop) {
        guard update == nil else { return }
        update = loop.scheduleBeforeInput { [self] loop in
            update = nil
            for (name, registered) in clients where registered.client == nil { unregister(name, registered.id) }
            perform(sharing.nextActions(at: loop.now), loop)
        }
    }

    private func perform(_ actions: [WatchSharing.Action], _ loop: ClientLoop) {
        for action in actions {
            switch action {
            case .open(let request): open(request, loop)
            case .renew(let request): sessions[request]?.open(loop)
            case .hurry(let request): sessions[request]?.hurry(loop)
            case .close(let request): sessions.removeValue(forKey: request)?.close(loop)
            case .deliver(let id, let event): identities[id].flatMap { clients[$0]?.held }?.receive(event)
            }
        }
    }

    private func open(_ request: WatchRequest, _ loop: ClientLoop) {
        var stated = request
        stated.library = Release.library
        let session = SessionDriver<WatchReply>(at: { [path] in path }) { [stated] connection throws(LocationError) in
            try connection.send(LocationInterface.Method.watch, stated, more: true)
        } receive: { [self] event, loop in
            switch event {
            case .answer(var update):
                if let location = update.location?.value { update.location?.value = location.arrived(by: loop.now) }
                perform(sharing.receive(update, on: request, at: loop.now), loop)
            case .failed(let error, _): perform(sharing.fail(error, on: request), loop)
            }
        }
        sessions[request] = session
        session.open(loop)
    }
}
