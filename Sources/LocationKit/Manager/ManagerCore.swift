import LocationModel
import Synchronization

/// What a manager is behind its face: it outlives the manager for as long as loops and requests go on.
///
/// Ownership: everything is in `state`, under its lock. The lock is held while an input changes the state and the
/// service is told what follows from it, so that the service hears it in the order in which it was decided; never while
/// code of the program runs, nor while the service is asked for an answer.
package final class ManagerCore: TransportClient {
    let service: any LocationTransport
    let configuration: LocationConfiguration
    private let state: Mutex<ManagerState>

    init(_ configuration: LocationConfiguration, service: any LocationTransport) {
        self.configuration = configuration
        self.service = service
        state = Mutex(ManagerState(configuration))
    }

    /// Reads the state, and changes nothing that anything follows from.
    func read<Value>(_ body: (inout ManagerState) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// Changes the state, and does all that follows from it.
    @discardableResult
    func input<Answer>(_ body: (inout ManagerState, _ now: BootInstant) -> Answer) -> Answer {
        let (answer, hasAsked, hasWork) = state.withLock { state in
            let now = service.now
            let answer = body(&state, now)
            state.settle(at: now)
            return (answer, tellService(&state), state.outbox.begin())
        }
        if hasWork { workOff() }
        if hasAsked { service.settle() }
        return answer
    }

    /// - Returns: true if the service was told anything.
    private func tellService(_ state: inout ManagerState) -> Bool {
        var hasAsked = state.hasCalledService
        state.hasCalledService = false
        let wish = state.wish
        if wish != state.toldWish {
            state.toldWish = wish
            service.wish(wish, of: self)
            hasAsked = true
        }
        let moment = state.nextMoment
        if moment != state.toldMoment {
            state.toldMoment = moment
            service.wake(self, at: moment)
            hasAsked = true
        }
        return hasAsked
    }

    private func workOff() {
        while let work = read({ $0.outbox.take() }) {
            for item in work { item() }
        }
    }

    package func receive(_ event: TransportEvent) {
        input { state, now in state.receive(event, at: now) }
    }

    package func timeIsUp() {
        input { state, now in
            // The service wakes once: what is still to come is to be told again.
            state.toldMoment = nil
            state.timeIsUp(at: now)
            for id in state.authorizationRequestsDue(at: now) { ask(id, &state) }
        }
    }
}

extension ManagerCore {
    /// A sequence of what an audience is told. It keeps this core alive until it ends.
    func sequence<Value>(
        _ audience: any WritableKeyPath<ManagerState, SubscriberList<Value>> & Sendable,
        present: (ManagerState) -> Value? = { _ in nil }
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(NewestValues<Value>.usualCapacity))
        let id = input { state, _ in
            let id = state.newID()
            let value = present(state)
            state[keyPath: audience].add(continuation, id: id, told: value)
            if let value { state.outbox.append { continuation.yield(value) } }
            return id
        }
        // Called when the loop's task is cancelled and when the sequence is gone.
        continuation.onTermination = { [self] _ in
            input { state, _ in state[keyPath: audience].removeLoop(id) }
        }
        return stream
    }

    /// Begins with the present authorization, for which the service may have to be asked.
    var authorizationSequence: AsyncStream<AuthorizationStatus> {
        let present = authorizationStatus
        return sequence(\.authorizations) { $0.status?.authorization ?? present }
    }
}
