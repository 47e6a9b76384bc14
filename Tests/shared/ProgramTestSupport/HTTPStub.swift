import Foundation
import Glibc
import Synchronization

/// A server on the loopback that does to each request what it is told, and remembers all it was asked.
///
/// Ownership: what is asked and what is to be done lie behind one lock; each connection has its thread and its
/// descriptor to itself, and the end of the stub ends them all.
package final class HTTPStub: Sendable {
    package typealias Deed = @Sendable (StubConnection) -> Void

    private struct State {
        var deeds: [Deed] = []
        var usual: Deed = { _ in }
        var requests: [String] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var connectionCount = 0
        var isOver = false
    }

    private let listener: LoopbackListener
    private let state = Mutex(State())
    private let connections = OpenDescriptors()

    package init() throws {
        let listener = try LoopbackListener()
        self.listener = listener
        Thread.detachNewThread { [connections, weak self] in
            while true {
                let descriptor = accept(listener.descriptor, nil, nil)
                guard descriptor >= 0 else { break }
                _ = connections.insert(descriptor)
                guard let self, self.admit() else {
                    connections.close(descriptor)
                    break
                }
                Thread.detachNewThread { [weak self] in
                    let connection = StubConnection(descriptor)
                    while let request = connection.nextRequest() {
                        guard let deed = self?.take(request) else { break }
                        deed(connection)
                    }
                    connections.close(descriptor)
                }
            }
        }
    }

    deinit { stop() }

    package func stop() {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        state.withLock { $0.isOver = true }
        connections.shutDown()
    }

    package var port: UInt16 { listener.port }
    package var url: String { "http://127.0.0.1:\(port)" }
    /// The requests so far: the head with its lines, and after an empty line the body, if there is one.
    package var requests: [String] { state.withLock { $0.requests } }
    /// What was asked for so far.
    package var paths: [String] { requests.map { String($0.split(separator: " ", maxSplits: 2)[1]) } }

    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// What to do to the next requests, one each.
    package func next(_ deeds: Deed...) { state.withLock { $0.deeds += deeds } }
    /// What to do to all others.
    package func always(_ deed: @escaping Deed) { state.withLock { $0.usual = deed } }

    /// Waits until so many requests have come since the stub began.
    package func came(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let hasCome = state.withLock { state in
                if state.requests.count < count { state.waiting.append((count, continuation)) }
                return state.requests.count >= count
            }
            if hasCome { continuation.resume() }
        }
    }

    private func admit() -> Bool {
        state.withLock { state in
            state.connectionCount += 1
            return !state.isOver
        }
    }

    private func take(_ request: String) -> Deed {
        let (deed, ready) = state.withLock { state in
            state.requests.append(request)
            let count = state.requests.count
            let ready = state.waiting.filter { $0.count <= count }
            state.waiting.removeAll { $0.count <= count }
            return (state.deeds.isEmpty ? state.usual : state.deeds.removeFirst(), ready)
        }
        for waiter in ready { waiter.continuation.resume() }
        return deed
    }
}
