import LocationModel

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
