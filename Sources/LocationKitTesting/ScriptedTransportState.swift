import LocationKit
import LocationModel

/// All of a ``ScriptedTransport``: the clock, the world, the clients, and what is due to be told.
///
/// Whether something is told is decided when its turn comes, because what was told before may have changed it.
struct ScriptedTransportState {
    typealias AuthorizationAnswer = @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void

    /// Something to be told, in its turn.
    enum Due {
        case event(TransportEvent, ObjectIdentifier)
        case wake(ObjectIdentifier, number: Int)
        case answer(call: Int, isLast: Bool, @Sendable () -> Void)
    }

    /// Something to be done now, without the lock.
    enum Action {
        case tell(any TransportClient, TransportEvent)
        case wake(any TransportClient)
        case answer(@Sendable () -> Void)
        /// Let go what nobody waits for; its end may call the service.
        case forget(@Sendable () -> Void)
    }

    /// A request for authorization that nobody has decided.
    struct Petition {
        let call: Int
        let level: AuthorizationLevel
        let answer: AuthorizationAnswer
    }

    var now: BootInstant
    var world: ScriptedWorld
    /// What a request for authorization is answered at once; `nil` lets it wait.
    var authorizationAnswer: AuthorizationStatus?
    var clients: [ObjectIdentifier: ScriptedClient] = [:]
    var petitions: [Petition] = []
    /// The calls that were neither answered nor given up.
    var openCalls: Set<Int> = []
    var callCount = 0
    var due: [Due] = []
    var isSettling = false

    init(now: BootInstant, world: ScriptedWorld) {
        self.now = now
        self.world = world
    }

    var demand: LocationFilter? { clients.values.lazy.compactMap(\.wish.locations).first }
    var status: ServiceStatus { world.status(isReceiverWanted: demand != nil, at: now) }

    // MARK: Clients

    mutating func take(_ wish: Interest, of client: any TransportClient) {
        let hadDemand = demand != nil
        let old = modify(client) { known in
            defer { known.take(wish, from: client) }
            return known.wish
        }
        if !hadDemand, demand != nil { world.beginReception(at: now) }
        let id = ObjectIdentifier(client)
        if !wish.isEmpty, old.isEmpty { introduce(to: id) }
        announce()
        if wish.locations != old.locations { tellFreshLocation(to: id) }
    }

    mutating func wake(_ client: any TransportClient, at moment: BootInstant?) {
        modify(client) { known in
            known.wakeTime = moment
            known.wakeNumber += 1
        }
        if let moment, moment <= now { wakeAll(at: now) }
    }

    @discardableResult
    private mutating func modify<Result>(
        _ client: any TransportClient, _ change: (inout ScriptedClient) -> Result
    ) -> Result {
        clients = clients.filter { $0.value.client != nil }
        return change(&clients[ObjectIdentifier(client), default: ScriptedClient(client)])
    }

    // MARK: News

    /// A location comes, in a moment of its own, so that a request knows what came before it.
    mutating func take(_ location: Location) -> Location {
        var location = location
        let isPresent = location.monotonicTime >= now
        now = now.advanced(bySeconds: 1e-9)
        if isPresent { location.monotonicTime = now }
        return world.take(location)
    }

    /// Tells everybody who wishes anything.
    mutating func tellAll(_ event: TransportEvent) {
        for (id, client) in clients where !client.wish.isEmpty { due.append(.event(event, id)) }
    }

    /// Tells the present state to all who do not know it.
    mutating func announce() {
        tellAll(.status(status))
    }

    /// The service answers again.
    mutating func reconnect() {
        world.failure = nil
        for (id, client) in clients where !client.wish.isEmpty {
            introduce(to: id)
            due.append(.event(.status(status), id))
            tellFreshLocation(to: id)
        }
    }

    private mutating func introduce(to id: ObjectIdentifier) {
        due.append(.event(world.failure.map { .disconnected($0) } ?? .connected, id))
    }

    private mutating func tellFreshLocation(to id: ObjectIdentifier) {
        guard let location = world.freshLocation(at: now) else { return }
        due.append(.event(.location(location, dropped: 0), id))
    }
}
