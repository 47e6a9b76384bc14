@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// A transport that does what a test says, on a clock that only the test advances.
///
/// It has no thread: pending events are delivered by the caller of ``deliverPending()``, one after the other. A call
/// during a delivery, by a handler or another thread, adds to the pending events and returns immediately.
///
/// Ownership: everything is in one value under one lock, which is held for changes only, because managers call from any
/// thread; clients and answers are called without it.
final class ScriptedTransport: LocationTransport {
    private let state: Mutex<ScriptedTransportState>

    init(now: BootInstant, world: ScriptedWorld) {
        state = Mutex(ScriptedTransportState(now: now, world: world))
    }

    /// Reads or changes the state without delivering anything.
    func withState<Result: Sendable>(_ body: (inout ScriptedTransportState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Changes the state and delivers the resulting events.
    func change<Result: Sendable>(_ body: (inout ScriptedTransportState) -> Result) -> Result {
        defer { deliverPending() }
        return state.withLock { body(&$0) }
    }

    var now: BootInstant { state.withLock { $0.now } }

    /// Changes by the test take effect immediately.
    let statusLifetime = 0.0

    func setInterest(_ interest: Interest, of client: any TransportClient) {
        state.withLock { $0.setInterest(interest, of: client) }
    }

    func scheduleWakeUp(of client: any TransportClient, at moment: BootInstant?) {
        state.withLock { $0.scheduleWakeUp(of: client, at: moment) }
    }

    func status() throws(LocationError) -> ServiceStatus {
        let (status, failure) = state.withLock { ($0.status, $0.world.failure) }
        if let failure { throw failure }
        return status
    }

    func lastLocation(
        maximumAge: Double, answer: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) -> any CancellableCall {
        state.withLock { state in
            let call = state.openCall()
            let result = state.world.lastLocation(maximumAge: maximumAge, at: state.now)
            state.answer(call) { answer(result) }
            return ScriptedCall(service: self, number: call)
        }
    }

    func requestAuthorization(
        _ level: AuthorizationLevel, fullAccuracy: Bool, purpose: String?,
        answer: @escaping @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void
    ) -> any CancellableCall {
        ScriptedCall(
            service: self,
            number: state.withLock {
                $0.requestAuthorization(level, fullAccuracyPurpose: fullAccuracy ? purpose ?? "" : nil, answer)
            })
    }

    func deliverPending() {
        guard state.withLock({ $0.beginDelivery() }) else { return }
        while let action = state.withLock({ $0.nextAction() }) {
            switch action {
            case .deliver(let client, let event): client.receive(event)
            case .wake(let client): client.wakeUp()
            case .answer(let answer): answer()
            case .forget: break
            }
        }
    }

    /// Moves the clock, and delivers what becomes due meanwhile, each at its time.
    func advance(by seconds: Double) {
        let target = now.advanced(bySeconds: max(0, seconds))
        deliverPending()
        while state.withLock({ $0.advance(towards: target) }) { deliverPending() }
    }

    fileprivate func cancel(_ call: Int) {
        _ = state.withLock { $0.cancel(call) }
    }
}

/// A call of a ``ScriptedTransport``.
private struct ScriptedCall: CancellableCall {
    weak let service: ScriptedTransport?
    let number: Int

    func cancel() {
        service?.cancel(number)
    }
}
