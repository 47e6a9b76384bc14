import LocationModel
import Synchronization

/// What a monitor is behind its face: it outlives the monitor for as long as loops go on.
///
/// Ownership: everything is in `state`, under its lock. The lock is held while an input changes the state and the
/// service is told what follows from it, so that the service hears it in the order in which it was decided; never while
/// code of the program runs, nor while the service is asked for an answer.
package final class MonitorCore: MonitorTransportClient {
    let name: String?
    private let service: any MonitorTransport
    private let state: Mutex<MonitorState>

    init(
        _ configuration: LocationConfiguration, name: String?, subjects: MonitorSubjects, service: any MonitorTransport
    ) {
        self.name = name
        self.service = service
        state = Mutex(MonitorState(configuration, name: name, subjects: subjects))
    }

    /// Reads the state, and changes nothing.
    func read<Value>(_ body: (MonitorState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// Changes the state, and does all that follows from it.
    @discardableResult
    func input<Answer>(_ body: (inout MonitorState) -> Answer) -> Answer {
        let (answer, hasWished, hasWork) = state.withLock { state in
            let answer = body(&state)
            state.settle()
            return (answer, tellService(&state), state.outbox.begin())
        }
        if hasWork { workOff() }
        if hasWished { service.settle() }
        return answer
    }

    /// - Returns: true if the service was told anything.
    private func tellService(_ state: inout MonitorState) -> Bool {
        let wish = state.wish
        guard wish != state.toldWish else { return false }
        state.toldWish = wish
        service.wish(wish, of: self)
        return true
    }

    private func workOff() {
        while let work = state.withLock({ $0.outbox.take() }) {
            for item in work { item() }
        }
    }

    package func receive(_ news: MonitorTransportEvent) {
        input { $0.receive(news) }
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
            let kept = try service.kept(name)
            input { $0.load(kept) }
        } catch {
            // It is asked again with the connection.
        }
    }

    /// A sequence of what an audience is told. It keeps this core alive until it ends.
    func sequence<Value>(
        _ audience: any WritableKeyPath<MonitorState, SubscriberList<Value>> & Sendable,
        present: (MonitorState) -> Value? = { _ in nil }
    ) -> AsyncStream<Value> {
        let capacity = read { $0[keyPath: audience].capacity }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = input { state in
            let (id, value) = (state.newID(), present(state))
            state[keyPath: audience].add(continuation, id: id, told: value)
            if let value { state.outbox.append { continuation.yield(value) } }
            return id
        }
        // Called when the loop's task is cancelled and when the sequence is gone.
        continuation.onTermination = { [self] _ in
            input { $0[keyPath: audience].removeLoop(id) }
        }
        return stream
    }
}
