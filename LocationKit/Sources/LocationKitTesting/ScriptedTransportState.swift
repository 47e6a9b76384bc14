@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// The state of a ``ScriptedTransport``: the clock, the world, the clients, and the pending deliveries.
///
/// Whether an event is delivered is decided when its turn comes, because earlier events may have changed the state.
struct ScriptedTransportState {
    typealias AuthorizationAnswer = @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void

    /// A pending delivery.
    enum Due {
        case event(TransportEvent, ObjectIdentifier)
        case wake(ObjectIdentifier, number: Int)
        case answer(call: Int, isLast: Bool, @Sendable () -> Void)
    }

    /// A delivery to perform now, without the lock.
    enum Action {
        case deliver(any TransportClient, TransportEvent)
        case wake(any TransportClient)
        case answer(@Sendable () -> Void)
        /// Release an answer that nobody waits for; its deinitialization may call the transport.
        case forget(@Sendable () -> Void)
    }

    /// A request for authorization without a decision.
    struct PendingRequest {
        let call: Int
        let level: AuthorizationLevel
        /// The purpose of a request for full accuracy; `nil` for a request for the level alone.
        let fullAccuracyPurpose: String?
        let answer: AuthorizationAnswer
    }

    var now: BootInstant
    var world: ScriptedWorld
    /// The immediate decision on a request for authorization; `nil` leaves it pending.
    var authorizationAnswer: AuthorizationStatus?
    /// The immediate decision on a request for full accuracy; `nil` leaves it pending.
    var fullAccuracyAnswer: AccuracyAuthorization?
    var clients: [ObjectIdentifier: ScriptedClient] = [:]
    var pendingRequests: [PendingRequest] = []
    /// The calls that were neither answered nor cancelled.
    var openCalls: Set<Int> = []
    var callCount = 0
    var due: [Due] = []
    var isDelivering = false

    init(now: BootInstant, world: ScriptedWorld) {
        self.now = now
        self.world = world
    }

    var demand: LocationFilter? { clients.values.lazy.compactMap(\.interest.locations).first?.filter }
    var status: ServiceStatus { world.status(isReceiverWanted: demand != nil, at: now) }

    /// A machine that is stationary pauses the updates if all that are requested may pause.
    private mutating func updatePause() {
        let updates = clients.values.compactMap(\.interest.locations)
        world.isPaused =
            world.isStationary && world.mayDeliver && world.accuracy == .full && !updates.isEmpty
            && updates.allSatisfy(\.pausesAutomatically)
    }

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

    // MARK: Events

    /// Records a location with a time of its own, so that a request can tell it from earlier ones.
    mutating func receive(_ location: Location) -> Location {
        var location = location
        let isPresent = location.monotonicTime >= now
        now = now.advanced(bySeconds: 1e-9)
        if isPresent { location.monotonicTime = now }
        return world.record(location)
    }

    /// Enqueues the event for all clients that have an interest.
    mutating func enqueue(_ event: TransportEvent) {
        for (id, client) in clients where !client.interest.isEmpty { due.append(.event(event, id)) }
    }

    /// Enqueues the current status for all clients that do not have it.
    mutating func enqueueStatus() {
        updatePause()
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

    /// - Returns: the requests of the call, to be released without the lock.
    mutating func cancel(_ call: Int) -> [PendingRequest] {
        openCalls.remove(call)
        let cancelled = pendingRequests.filter { $0.call == call }
        pendingRequests.removeAll { $0.call == call }
        return cancelled
    }

    mutating func answer(_ call: Int, isLast: Bool = true, _ answer: @escaping @Sendable () -> Void) {
        due.append(.answer(call: call, isLast: isLast, answer))
    }

    mutating func requestAuthorization(
        _ level: AuthorizationLevel, fullAccuracyPurpose: String?, _ answer: @escaping AuthorizationAnswer
    ) -> Int {
        let request = PendingRequest(
            call: openCall(), level: level, fullAccuracyPurpose: fullAccuracyPurpose, answer: answer)
        let isUndecided =
            world.authorization == .notDetermined
            || (world.authorization == .authorizedWhenInUse && level == .always)
        if world.failure == nil, isUndecided {
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
        if world.failure == nil, fullAccuracyPurpose != nil, world.isAuthorized, world.accuracy != .full {
            guard let fullAccuracyAnswer else {
                pendingRequests.append(request)
                world.isFullAccuracyPending = true
                enqueueStatus()
                reply(to: request, isLast: false)
                return request.call
            }
            decideAccuracy(fullAccuracyAnswer)
        }
        reply(to: request, isLast: true)
        return request.call
    }

    /// Decides about the accuracy, which answers all pending requests for full accuracy.
    mutating func decideAccuracy(_ accuracy: AccuracyAuthorization) {
        world.accuracy = accuracy
        world.isFullAccuracyPending = false
        enqueueStatus()
        answerPendingRequests { $0.fullAccuracyPurpose != nil }
    }

    /// Decides, which answers all pending requests.
    mutating func authorize(_ authorization: AuthorizationStatus, reason: String? = nil) {
        world.authorization = authorization
        world.refusal = reason
        world.isPending = false
        world.isFullAccuracyPending = false
        enqueueStatus()
        answerPendingRequests()
    }

    /// Answers pending requests with the last status or failure.
    mutating func answerPendingRequests(where isMeant: (PendingRequest) -> Bool = { _ in true }) {
        for request in pendingRequests where isMeant(request) { reply(to: request, isLast: true) }
        pendingRequests.removeAll(where: isMeant)
    }

    private mutating func reply(to request: PendingRequest, isLast: Bool) {
        let result: Result<ServiceStatus, LocationError> = world.failure.map { .failure($0) } ?? .success(status)
        answer(request.call, isLast: isLast) { request.answer(result, isLast) }
    }
}

extension ScriptedTransportState {
    /// Moves the clock to the next scheduled wake-up, but not beyond `target`.
    ///
    /// - Returns: false if no wake-up is scheduled until then.
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

    /// - Returns: false if another caller is delivering; it will deliver what was added meanwhile, too.
    mutating func beginDelivery() -> Bool {
        defer { isDelivering = true }
        return !isDelivering
    }

    /// The next delivery; `nil` if there is none, which ends the delivery.
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
