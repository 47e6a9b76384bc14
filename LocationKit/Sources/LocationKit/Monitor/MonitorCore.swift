@_spi(Programs) import LocationModel
import Synchronization
@_spi(Programs) import SystemSupport

/// The part of a monitor that outlives it while loops go on.
///
/// Ownership: everything is in `state`, under its lock. The lock is held while an update changes the state and passes
/// the resulting interest to the transport, so that the transport receives interests in the order of the changes. It is
/// never held while code of the program runs, nor while a call to the service blocks.
@_spi(Programs) public final class MonitorCore: MonitorTransportClient {
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

    /// Changes the state, then updates the transport and runs the outbox.
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

    /// - Returns: true if the transport was called.
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

    @_spi(Programs) public func receive(_ news: MonitorTransportEvent) {
        let now = MachineClock.now
        update { $0.receive(news, at: now) }
    }

    /// The subjects, for which the service may have to be asked.
    var subjects: MonitorSubjects {
        load()
        return read { $0.subjects }
    }

    /// Loads what is persisted under the name, if the service answers.
    func load() {
        guard let name, !read({ $0.isLoaded }) else { return }
        do throws(LocationError) {
            let persisted = try transport.persistedMonitor(name)
            update { $0.load(persisted) }
        } catch {
            // It is loaded with the next connection.
        }
    }

    /// A sequence of the values published to a list of subscribers. It keeps this core alive until it ends.
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
        // Called when the loop's task is cancelled, and when the sequence is released.
        continuation.onTermination = { [self] _ in
            update { $0[keyPath: subscribers].removeStream(id) }
        }
        return stream
    }
}
