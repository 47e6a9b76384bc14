@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// A transport that delivers to one monitor what a test says, on a clock that only the test advances.
///
/// It has no thread: pending events are delivered by the caller of ``deliverPending()``, one after the other. A call
/// during a delivery, by a handler or another thread, adds to the pending events and returns immediately.
///
/// Ownership: everything is in one value under one lock, which is held for changes only, because programs call from any
/// thread; the monitor is called without it.
final class ScriptedMonitorTransport: MonitorTransport {
    private let state: Mutex<ScriptedMonitorState>

    init(now: BootInstant, world: ScriptedWorld, persisted: NamedMonitor?) {
        state = Mutex(ScriptedMonitorState(now: now, world: world, persisted: persisted))
    }

    /// Reads or changes the state without delivering anything.
    func withState<Result: Sendable>(_ body: (inout ScriptedMonitorState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Changes the state and delivers the resulting events.
    func change(_ body: (inout ScriptedMonitorState) -> Void) {
        state.withLock { body(&$0) }
        deliverPending()
    }

    func setInterest(_ interest: MonitorRequest?, of client: any MonitorTransportClient) {
        let former = state.withLock { $0.setInterest(interest, of: client) }
        // The former client may be deinitialized here, which must not happen under the lock.
        withExtendedLifetime(former) {}
    }

    func persistedMonitor(_ name: String) throws(LocationError) -> NamedMonitor? {
        let (persisted, failure) = state.withLock { ($0.persisted, $0.world.failure) }
        if let failure { throw failure }
        return persisted.flatMap { $0.name == name ? $0 : nil }
    }

    func deliverPending() {
        guard state.withLock({ $0.beginDelivery() }) else { return }
        while let (client, event) = state.withLock({ $0.nextEvent() }) { client.receive(event) }
    }
}
