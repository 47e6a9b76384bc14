import LocationInterface
import LocationModel
import Varlink

/// Does what a ``DaemonLink`` decides, on the client thread: opens and closes, listens, waits and tells.
final class DaemonSession {
    /// A manager, held while it wishes anything.
    private struct Guest {
        let id: DaemonLink.ClientID
        weak var client: (any ServiceClient)?
        var held: (any ServiceClient)?
    }

    let locationCalls: SharedCalls<LocationRequest, LocationReply>
    let authorizationCalls: SharedCalls<RequestAuthorizationParameters, StatusReply>
    private let path: String
    private var link: DaemonLink
    private var connections: [DaemonLink.WatchKind: ClientConnection] = [:]
    private var guests: [ObjectIdentifier: Guest] = [:]
    private var names: [DaemonLink.ClientID: ObjectIdentifier] = [:]
    private var lastNumber = 0
    private var timer: ClientLoop.TimerID?
    private var wakeUps: [ObjectIdentifier: ClientLoop.TimerID] = [:]

    init(path: String) {
        self.path = path
        link = DaemonLink(path: path)
        locationCalls = SharedCalls(LocationInterface.Method.getLocation, more: false, at: path)
        authorizationCalls = SharedCalls(LocationInterface.Method.requestAuthorization, more: true, at: path)
    }

    func wish(_ wish: Wish, of client: any ServiceClient, _ loop: ClientLoop) {
        let name = ObjectIdentifier(client)
        if guests[name]?.client !== client { welcome(client) }
        guard let id = guests[name]?.id else { return }
        guests[name]?.held = client
        link.wish(wish, of: id)
        settleSoon(loop)
    }

    func endWish(of name: ObjectIdentifier, _ loop: ClientLoop) {
        guard let id = guests[name]?.id else { return }
        guests[name]?.held = nil
        link.wish(Wish(), of: id)
        settleSoon(loop)
    }

    /// Wakes somebody at that moment and not at the one before.
    func wake(
        _ name: ObjectIdentifier, at moment: BootInstant?, _ loop: ClientLoop, _ body: @escaping () -> Void
    ) {
        if let former = wakeUps.removeValue(forKey: name) { loop.cancel(former) }
        guard let moment else { return }
        wakeUps[name] = loop.schedule(at: moment) { [self] _ in
            wakeUps[name] = nil
            body()
        }
    }

    private func welcome(_ client: any ServiceClient) {
        let name = ObjectIdentifier(client)
        // The address may have been another's.
        if let former = guests[name]?.id { forget(name, former) }
        lastNumber += 1
        let id = DaemonLink.ClientID(number: lastNumber)
        guests[name] = Guest(id: id, client: client)
        names[id] = name
    }

    private func forget(_ name: ObjectIdentifier, _ id: DaemonLink.ClientID) {
        link.forget(id)
        guests[name] = nil
        names[id] = nil
    }

    /// Once for all wishes that are there, and before any of their clients hears more.
    private func settleSoon(_ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = loop.soon { [self] loop in settle(loop) }
    }

    private func schedule(at moment: BootInstant?, _ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = moment.map { loop.schedule(at: $0) { [self] loop in settle(loop) } }
    }

    private func settle(_ loop: ClientLoop) {
        timer = nil
        for (name, guest) in guests where guest.client == nil { forget(name, guest.id) }
        perform(link.settle(at: loop.now, jitter: .random(in: 0..<1)), loop)
    }

    private func perform(_ actions: [DaemonLink.Action], _ loop: ClientLoop) {
        var actions = actions[...]
        while let action = actions.popFirst() {
            switch action {
            case .open(let kind, let parameters):
                do throws(LocationError) {
                    try open(kind, parameters, loop)
                } catch {
                    connections.removeValue(forKey: kind)?.close()
                    actions += link.ended(kind, error, at: loop.now, jitter: .random(in: 0..<1))
                }
            case .close(let kind): connections.removeValue(forKey: kind)?.close()
            case .tell(let id, let event): names[id].flatMap { guests[$0]?.held }?.receive(event)
            }
        }
        schedule(at: link.deadline, loop)
    }

    private func open(
        _ kind: DaemonLink.WatchKind, _ parameters: WatchRequest, _ loop: ClientLoop
    ) throws(LocationError) {
        let connection = try loop.connect(to: path) { [self] in take($0, kind, loop) }
        connections[kind] = connection
        try connection.send(LocationInterface.Method.watch, parameters, more: true)
    }

    private func take(_ input: ClientConnection.Input, _ kind: DaemonLink.WatchKind, _ loop: ClientLoop) {
        let jitter = Double.random(in: 0..<1)
        do throws(LocationError) {
            switch input {
            case .ended(let error): throw error
            case .reply(let reply):
                var news = try reply.answer(as: WatchReply.self)
                if let location = news.location?.value { news.location?.value = location.arrived(by: loop.now) }
                perform(
                    link.receive(news, continues: reply.continues, on: kind, at: loop.now, jitter: jitter), loop)
            }
        } catch {
            connections.removeValue(forKey: kind)?.close()
            perform(link.ended(kind, error, at: loop.now, jitter: jitter), loop)
        }
    }
}
