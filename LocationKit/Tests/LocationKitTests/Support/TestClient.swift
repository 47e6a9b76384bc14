@_spi(Programs) import LocationKit
import Synchronization
import TestSupport

/// Records the events that it receives, and can be waited for.
final class TestClient: TransportClient {
    private struct State {
        var events: [TransportEvent] = []
        var wakeUps = 0
        var inside = false
        var overlaps = 0
    }

    private let state = Mutex(State())
    private let onEvent: @Sendable (TransportEvent) -> Void

    init(_ onEvent: @escaping @Sendable (TransportEvent) -> Void = { _ in }) {
        self.onEvent = onEvent
    }

    var events: [TransportEvent] { state.withLock { $0.events } }
    var wakeUps: Int { state.withLock { $0.wakeUps } }
    /// How often it received two events at once.
    var overlaps: Int { state.withLock { $0.overlaps } }

    func receive(_ event: TransportEvent) {
        state.withLock { state in
            if state.inside { state.overlaps += 1 }
            state.inside = true
            state.events.append(event)
        }
        onEvent(event)
        state.withLock { $0.inside = false }
    }

    func wakeUp() {
        state.withLock { $0.wakeUps += 1 }
    }

    func count(_ isMeant: (TransportEvent) -> Bool) -> Int { events.count(where: isMeant) }

    var connections: Int { count { $0 == .connected } }
    var locations: [Double] {
        events.compactMap { if case .location(let location, _) = $0 { location.monotonicTime.seconds } else { nil } }
    }
    var failures: [LocationError] {
        events.compactMap { if case .disconnected(let error) = $0 { error } else { nil } }
    }
}
