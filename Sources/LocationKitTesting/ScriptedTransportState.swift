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
        case deliver(any TransportClient, TransportEvent)
        case wake(any TransportClient)
        case answer(@Sendable () -> Void)
        /// Let go what nobody waits for; its end may call the service.
        case forget(@Sendable () -> Void)
    }

    /// A request for authorization that nobody has decided.
    struct PendingRequest {
        let call: Int
        let level: AuthorizationLevel
        let answer: AuthorizationAnswer
    }

    var now: BootInstant
    var world: ScriptedWorld
    /// What a request for authorization is answered at once; `nil` lets it wait.
    var authorizationAnswer: AuthorizationStatus?
    var clients: [ObjectIdentifier: ScriptedClient] = [:]
    var pendingRequests: [PendingRequest] = []
    /// The calls that were neither answered nor given up.
    var openCalls: Set<Int> = []
    var callCount = 0
    var due: [Due] = []
    var isDelivering = false

    init(now: BootInstant, world: ScriptedWorld) {
        self.now = now
        self.world = world
    }

    var demand: LocationFilter? { clients.values.lazy.compactMap(\.interest.locations).first }
    var status: ServiceStatus { world.status(isReceiverWanted: demand != nil, at: now) }

    // MARK: Clients

    mutating func setInterest(_ interest: Interest, of client: any TransportClient) {
        let hadDemand = demand != nil
        let old = modify(client) { known in
            defer { known.setInterest(interest, from: client) }
            return known.interest
        }
        if !hadDemand, demand != nil { world.beginReception(at: now) }
        let id = ObjectIdentifier(client)
        if !interest.isEmpty, old.isEmpty { enqueueConnection(to: id) }
        enqueueStatus()
        if interest.locations != old.locations { enqueueFreshLocation(to: id) }
    }

    mutating func scheduleWakeUp(of client: any TransportClient, at moment: BootInstant?) {
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
    mutating func receive(_ location: Location) -> Location {
        var location = location
        let isPresent = location.monotonicTime >= now
        now = now.advanced(bySeconds: 1e-9)
        if isPresent { location.monotonicTime = now }
        return world.record(location)
    }

    /// Tells everybody who wishes anything.
    mutating func enqueue(_ event: TransportEvent) {
        for (id, client) in clients where !client.interest.isEmpty { due.append(.event(event, id)) }
    }

    /// Tells the present state to all who do not know it.
    mutating func enqueueStatus() {
        enqueue(.status(status))
    }

    /// The service answers again.
    mutating func reconnect() {
        world.failure = nil
        for (id, client) in clients where !client.interest.isEmpty {
            enqueueConnection(to: id)
            due.append(.event(.status(status), id))
            enqueueFreshLocation(to: id)
        }
    }

    private mutating func enqueueConnection(to id: ObjectIdentifier) {
        due.append(.event(world.failure.map { .disconnected($0) } ?? .connected, id))
    }

    private mutating func enqueueFreshLocation(to id: ObjectIdentifier) {
        guard let location = world.freshLocation(at: now) else { return }
        due.append(.event(.location(location, dropped: 0), id))
    }
}

extension ScriptedTransportState {
    mutating func openCall() -> Int {
        callCount += 1
        openCalls.insert(callCount)
        return callCount
    }

    /// - Returns: what was kept for the call, to be let go without the lock.
    mutating func cancel(_ call: Int) -> [PendingRequest] {
        openCalls.remove(call)
        let cancelled = pendingRequests.filter { $0.call == call }
        pendingRequests.removeAll { $0.call == call }
        return cancelled
    }

    mutating func answer(_ call: Int, isLast: Bool = true, _ answer: @escaping @Sendable () -> Void) {
        due.append(.answer(call: call, isLast: isLast, answer))
    }

    mutating func requestAuthorization(_ level: AuthorizationLevel, _ answer: @escaping AuthorizationAnswer) -> Int {
        let request = PendingRequest(call: openCall(), level: level, answer: answer)
        if world.failure == nil, world.authorization == .notDetermined {
            if let authorizationAnswer, authorizationAnswer != .notDetermined {
                authorize(authorizationAnswer)
            } else {
                pendingRequests.append(request)
                world.isPending = true
                enqueueStatus()
                reply(to: request, isLast: false)
                return request.call
            }
        }
        reply(to: request, isLast: true)
        return request.call
    }

    /// Somebody decides, which answers all who wait.
    mutating func authorize(_ authorization: AuthorizationStatus, reason: String? = nil) {
        world.authorization = authorization
        world.refusal = reason
        world.isPending = false
        enqueueStatus()
        answerPendingRequests()
    }

    /// Everybody who waits for a decision gets the last answer there is.
    mutating func answerPendingRequests() {
        for request in pendingRequests { reply(to: request, isLast: true) }
        pendingRequests = []
    }

    private mutating func reply(to request: PendingRequest, isLast: Bool) {
        let result: Result<ServiceStatus, LocationError> = world.failure.map { .failure($0) } ?? .success(status)
        answer(request.call, isLast: isLast) { request.answer(result, isLast) }
    }
}

extension ScriptedTransportState {
    /// Moves the clock to the next moment somebody is to be woken at, at most to `target`.
    ///
    /// - Returns: false if nobody is to be woken any more.
    mutating func advance(towards target: BootInstant) -> Bool {
        guard let next = clients.values.compactMap(\.wakeTime).min(), next <= target else {
            now = max(now, target)
            return false
        }
        now = max(now, next)
        wakeAll(at: now)
        return true
    }

    mutating func wakeAll(at moment: BootInstant) {
        for (id, client) in clients {
            guard let wakeTime = client.wakeTime, wakeTime <= moment else { continue }
            clients[id]?.wakeTime = nil
            due.append(.wake(id, number: client.wakeNumber))
        }
    }

    /// - Returns: false if somebody settles already, who will also tell what was added meanwhile.
    mutating func beginDelivery() -> Bool {
        defer { isDelivering = true }
        return !isDelivering
    }

    /// What is to be done next; `nil` when nothing is due, which ends the settling.
    mutating func nextAction() -> Action? {
        while !due.isEmpty {
            if let action = action(for: due.removeFirst()) { return action }
        }
        isDelivering = false
        return nil
    }

    private mutating func action(for due: Due) -> Action? {
        switch due {
        case .event(let event, let id):
            guard let recipient = clients[id]?.recipient, clients[id]?.accepts(event, in: world) == true else {
                return nil
            }
            return .deliver(recipient, event)
        case .wake(let id, let number):
            guard let known = clients[id], known.wakeNumber == number else { return nil }
            return known.client.map { .wake($0) }
        case .answer(let call, let isLast, let answer):
            let isOpen = isLast ? openCalls.remove(call) != nil : openCalls.contains(call)
            return isOpen ? .answer(answer) : .forget(answer)
        }
    }
}
