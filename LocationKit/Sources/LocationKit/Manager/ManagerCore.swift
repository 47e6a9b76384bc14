@_spi(Programs) import LocationModel
import Synchronization

/// The part of a manager that outlives it while loops and requests go on.
///
/// Ownership: everything is in `state`, under its lock. The lock is held while an update changes the state and passes
/// the resulting interest to the transport, so that the transport receives interests in the order of the changes. It is
/// never held while code of the program runs, nor while a call to the service blocks.
@_spi(Programs) public final class ManagerCore: TransportClient {
    let transport: any LocationTransport
    let configuration: LocationConfiguration
    private let state: Mutex<ManagerState>

    init(_ configuration: LocationConfiguration, transport: any LocationTransport) {
        self.configuration = configuration
        self.transport = transport
        state = Mutex(ManagerState(configuration))
    }

    /// Reads the state. The body makes no change that has consequences for subscribers or transport.
    func read<Value>(_ body: (inout ManagerState) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// Changes the state, then updates the transport and runs the outbox.
    @discardableResult
    func update<Answer>(_ body: (inout ManagerState, _ now: BootInstant) -> Answer) -> Answer {
        let (answer, hasCalled, hasWork) = state.withLock { state in
            let now = transport.now
            let answer = body(&state, now)
            state.finishInput(at: now)
            return (answer, updateTransport(&state), state.outbox.beginDraining())
        }
        if hasWork { drainOutbox() }
        if hasCalled { transport.deliverPending() }
        return answer
    }

    /// - Returns: true if the transport was called.
    private func updateTransport(_ state: inout ManagerState) -> Bool {
        var hasCalled = state.hasCalledTransport
        state.hasCalledTransport = false
        let interest = state.interest
        if interest != state.sentInterest {
            state.sentInterest = interest
            transport.setInterest(interest, of: self)
            hasCalled = true
        }
        let moment = state.nextWakeUp
        if moment != state.scheduledWakeUp {
            state.scheduledWakeUp = moment
            transport.scheduleWakeUp(of: self, at: moment)
            hasCalled = true
        }
        return hasCalled
    }

    private func drainOutbox() {
        while let work = read({ $0.outbox.nextBatch() }) {
            for item in work { item() }
        }
    }

    @_spi(Programs) public func receive(_ event: TransportEvent) {
        update { state, now in state.receive(event, at: now) }
    }

    @_spi(Programs) public func wakeUp() {
        update { state, now in
            // The transport wakes the manager once for each request: the next wake-up has to be scheduled again.
            state.scheduledWakeUp = nil
            state.deadlineReached(at: now)
            for id in state.authorizationRequestsDue(at: now) { sendAuthorizationRequest(id, &state) }
        }
    }
}

extension ManagerCore {
    /// A sequence of the values published to a list of subscribers. It keeps this core alive until it ends.
    func sequence<Value>(
        _ subscribers: any WritableKeyPath<ManagerState, SubscriberList<Value>> & Sendable,
        present: (ManagerState) -> Value? = { _ in nil }
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(NewestValues<Value>.usualCapacity))
        let id = update { state, _ in
            let id = state.newID()
            let value = present(state)
            state[keyPath: subscribers].add(continuation, id: id, lastValue: value)
            if let value { state.outbox.append { continuation.yield(value) } }
            return id
        }
        // Called when the loop's task is cancelled, and when the sequence is released.
        continuation.onTermination = { [self] _ in
            update { state, _ in state[keyPath: subscribers].removeStream(id) }
        }
        return stream
    }

    /// Starts with the current authorization, for which the service may have to be asked.
    var authorizationSequence: AsyncStream<AuthorizationStatus> {
        let present = authorizationStatus
        return sequence(\.authorizations) { $0.status?.authorization ?? present }
    }
}
