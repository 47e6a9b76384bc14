import LocationModel
import Synchronization

/// What a monitor is behind its face: it outlives the monitor for as long as loops go on.
///
/// Ownership: everything is in `state`, under its lock. The lock is held while an update changes the state and the
/// service is told what follows from it, so that the service hears it in the order in which it was decided; never while
/// code of the program runs, nor while the service is asked for an answer.
package final class MonitorCore: MonitorTransportClient {
    let name: String?
    private let transport: any MonitorTransport
    private let state: Mutex<MonitorState>

    init(
        _ configuration: LocationConfiguration, name: String?, subjects: MonitorSubjects,
        transport: any MonitorTransport
    ) {
        self.name = name
        self.transport = transport
        state = Mutex(MonitorState(configuration, name: name, subjects: subjects))
    }

    /// Reads the state, and changes nothing.
    func read<Value>(_ body: (MonitorState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// Changes the state, and does all that follows from it.
    @discardableResult
    func update<Answer>(_ body: (inout MonitorState) -> Answer) -> Answer {
        let (answer, hasSentInterest, hasWork) = state.withLock { state in
            let answer = body(&state)
            state.finishInput()
            return (answer, updateTransport(&state), state.outbox.beginDraining())
        }
        if hasWork { drainOutbox() }
        if hasSentInterest { transport.deliverPending() }
        return answer
    }

    /// - Returns: true if the service was told anything.
    private func updateTransport(_ state: inout MonitorState) -> Bool {
        let interest = state.interest
        guard interest != state.sentInterest else { return false }
        state.sentInterest = interest
        transport.setInterest(interest, of: self)
        return true
    }

    private func drainOutbox() {
        while let work = state.withLock({ $0.outbox.nextBatch() }) {
            for item in work { item() }
        }
    }

    package func receive(_ news: MonitorTransportEvent) {
        update { $0.receive(news) }
    }

    /// The subjects, for which the service may have to be asked.
    var subjects: MonitorSubjects {
        load()
        return read { $0.subjects }
    }

    /// Takes up what is kept under the name, if the service can be asked.
    func load() {
        guard let name, !read({ $0.isLoaded }) else { return }
        do throws(LocationError) {
            let kept = try transport.kept(name)
            update { $0.load(kept) }
        } catch {
            // It is asked again with the connection.
        }
    }

    /// A sequence of what an subscribers is told. It keeps this core alive until it ends.
    func sequence<Value>(
        _ subscribers: any WritableKeyPath<MonitorState, SubscriberList<Value>> & Sendable,
        present: (MonitorState) -> Value? = { _ in nil }
    ) -> AsyncStream<Value> {
        let capacity = read { $0[keyPath: subscribers].capacity }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = update { state in
            let (id, value) = (state.newID(), present(state))
            state[keyPath: subscribers].add(continuation, id: id, lastValue: value)
            if let value { state.outbox.append { continuation.yield(value) } }
            return id
        }
        // Called when the loop's task is cancelled and when the sequence is gone.
        continuation.onTermination = { [self] _ in
            update { $0[keyPath: subscribers].removeStream(id) }
        }
        return stream
    }
}
