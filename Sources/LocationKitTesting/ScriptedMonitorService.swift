import LocationKit
import LocationModel
import Synchronization

/// A service that tells one monitor what a test says, on a clock that stands still until it is advanced.
///
/// It has no thread: what is due is told by whoever calls ``settle()``, one thing after the other. A call made while
/// something is told, by the handler or by another thread, adds to what is due and returns at once.
///
/// Ownership: everything is in one value under one lock, which is held for a change only, because programs call from any
/// thread; the monitor is called without it.
final class ScriptedMonitorService: MonitorService {
    private let state: Mutex<ScriptedMonitorState>

    init(now: BootInstant, world: ScriptedWorld, kept: NamedMonitor?) {
        state = Mutex(ScriptedMonitorState(now: now, world: world, kept: kept))
    }

    /// Reads or changes what the service is, without telling it.
    func withState<Result: Sendable>(_ body: (inout ScriptedMonitorState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Changes what is so, and tells it.
    func change(_ body: (inout ScriptedMonitorState) -> Void) {
        state.withLock { body(&$0) }
        settle()
    }

    func wish(_ wish: MonitorRequest?, of client: any MonitorClient) {
        let former = state.withLock { $0.take(wish, of: client) }
        // It may go with this, and must not under the lock.
        withExtendedLifetime(former) {}
    }

    func kept(_ name: String) throws(LocationError) -> NamedMonitor? {
        let (kept, failure) = state.withLock { ($0.kept, $0.world.failure) }
        if let failure { throw failure }
        return kept.flatMap { $0.name == name ? $0 : nil }
    }

    func settle() {
        guard state.withLock({ $0.beginSettling() }) else { return }
        while let (client, news) = state.withLock({ $0.next() }) { client.receive(news) }
    }
}
