import LocationKit
import OpenCombine
import Synchronization

/// One subscriber's share of an ``ObserverPublisher``, from its first demand until it is cancelled.
///
/// Ownership: everything is in `active`, under a lock that is held for moves only, because values come on the manager's
/// threads and demand on the subscriber's. Subscriber and manager are called without it. The observer's handler keeps
/// the subscription, so that a subscriber need not; cancelling undoes that.
final class ObserverSubscription<Value: Sendable & Equatable>: Subscription, Sendable {
    private struct Active {
        let publisher: ObserverPublisher<Value>
        let subscriber: SendableSubscriber<Value>
        var slot: DemandSlot<Value>
        var hasStarted = false
        var observer: Observer<Value>?
    }

    /// `nil` once cancelled.
    private let active: Mutex<Active?>

    init(_ publisher: ObserverPublisher<Value>, to subscriber: SendableSubscriber<Value>) {
        active = Mutex(
            Active(
                publisher: publisher, subscriber: subscriber,
                slot: DemandSlot(skipsRepetitions: publisher.present != nil)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let starting = active.withLock { active -> ObserverPublisher<Value>? in
            active?.slot.addDemand(demand)
            guard active?.hasStarted == false else { return nil }
            active?.hasStarted = true
            return active?.publisher
        }
        if let starting { start(starting) } else { deliver() }
    }

    func cancel() {
        // Released after the lock: the subscriber's end may run anybody's code.
        let ended = active.withLock { active in
            defer { active = nil }
            return active
        }
        if let ended, let observer = ended.observer { ended.publisher.remove(observer) }
    }

    private func start(_ publisher: ObserverPublisher<Value>) {
        if let present = publisher.present { receive(present()) }
        let observer = Observer<Value>(requestsUpdates: publisher.requestsUpdates) { self.receive($0) }
        let isWanted = active.withLock { active in
            active?.observer = observer
            return active != nil
        }
        guard isWanted else { return }
        publisher.add(observer)
        // Cancelled meanwhile, perhaps before it was there to be removed.
        if active.withLock({ $0 == nil }) { publisher.remove(observer) }
    }

    private func receive(_ value: Value) {
        active.withLock { $0?.slot.store(value) }
        deliver()
    }

    private func deliver() {
        while let (value, subscriber) = nextDelivery() {
            let more = subscriber.receive(value)
            active.withLock { $0?.slot.finish(more) }
        }
    }

    private func nextDelivery() -> (Value, SendableSubscriber<Value>)? {
        active.withLock { active in
            guard let value = active?.slot.next(), let subscriber = active?.subscriber else { return nil }
            return (value, subscriber)
        }
    }
}

/// The subscriber of one subscription.
///
/// Subscribers are not `Sendable`, but Combine has them called on any thread as long as no two calls overlap. The
/// subscription sees to that: it calls this only between ``DemandSlot/take()`` and ``DemandSlot/finish(_:)``, which its lock orders.
struct SendableSubscriber<Value>: @unchecked Sendable {
    /// Hands over a value; returns how many more are wanted.
    let receive: (Value) -> Subscribers.Demand

    init<Downstream: OpenCombine.Subscriber>(_ subscriber: Downstream) where Downstream.Input == Value {
        receive = { subscriber.receive($0) }
    }
}

/// What a subscriber wants and what waits for it. One value waits at most: a newer one takes its place.
struct DemandSlot<Value: Sendable & Equatable>: Sendable {
    /// Whether a value equal to the last one taken is left out.
    let skipsRepetitions: Bool
    private var demand = Subscribers.Demand.none
    private var waiting: Value?
    private var last: Value?
    private var isBusy = false

    init(skipsRepetitions: Bool) {
        self.skipsRepetitions = skipsRepetitions
    }

    mutating func addDemand(_ more: Subscribers.Demand) {
        demand += more
    }

    mutating func store(_ value: Value) {
        waiting = value
    }

    /// - Returns: what is to be handed over now; ``finish(_:)`` has to follow. `nil` while the subscriber is busy, wants
    ///   nothing, or nothing waits.
    mutating func next() -> Value? {
        guard !isBusy, demand > .none, let value = waiting else { return nil }
        waiting = nil
        if skipsRepetitions {
            guard value != last else { return nil }
            last = value
        }
        demand -= 1
        isBusy = true
        return value
    }

    /// The subscriber has what was taken, and wants so many more.
    mutating func finish(_ more: Subscribers.Demand) {
        isBusy = false
        demand += more
    }
}
