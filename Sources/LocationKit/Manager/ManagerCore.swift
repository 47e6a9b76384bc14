import LocationModel
import Synchronization

/// What a manager is behind its face: it outlives the manager for as long as loops and requests go on.
///
/// Ownership: everything is in `state`, under its lock. The lock is held while an update changes the state and the
/// service is told what follows from it, so that the service hears it in the order in which it was decided; never while
/// code of the program runs, nor while the service is asked for an answer.
package final class ManagerCore: TransportClient {
    let transport: any LocationTransport
    let configuration: LocationConfiguration
    private let state: Mutex<ManagerState>

    init(_ configuration: LocationConfiguration, transport: any LocationTransport) {
        self.configuration = configuration
        self.transport = transport
        state = Mutex(ManagerState(configuration))
    }

    /// Reads the state, and changes nothing that anything follows from.
    func read<Value>(_ body: (inout ManagerState) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// Changes the state, and does all that follows from it.
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

    /// - Returns: true if the service was told anything.
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

    package func receive(_ event: TransportEvent) {
        update { state, now in state.receive(event, at: now) }
    }

    package func wakeUp() {
        update { state, now in
            // The service wakes once: what is still to come is to be told again.
            state.scheduledWakeUp = nil
            state.deadlineReached(at: now)
            for id in state.authorizationRequestsDue(at: now) { sendAuthorizationRequest(id, &state) }
        }
    }
}

extension ManagerCore {
    /// A sequence of what an subscribers is told. It keeps this core alive until it ends.
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
        // Called when the loop's task is cancelled and when the sequence is gone.
        continuation.onTermination = { [self] _ in
            update { state, _ in state[keyPath: subscribers].removeStream(id) }
        }
        return stream
    }

    /// Begins with the present authorization, for which the service may have to be asked.
    var authorizationSequence: AsyncStream<AuthorizationStatus> {
        let present = authorizationStatus
        return sequence(\.authorizations) { $0.status?.authorization ?? present }
    }
}
