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
        let observation: ObserverPublisher<Value>
        let recipient: SendableSubscriber<Value>
        var slot: DemandSlot<Value>
        var hasBegun = false
        var observer: Observer<Value>?
    }

    /// `nil` once cancelled.
    private let active: Mutex<Active?>

    init(_ observation: ObserverPublisher<Value>, to recipient: SendableSubscriber<Value>) {
        active = Mutex(
            Active(
                observation: observation, recipient: recipient,
                slot: DemandSlot(skipsRepetitions: observation.present != nil)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let beginning = active.withLock { active -> ObserverPublisher<Value>? in
            active?.slot.want(demand)
            guard active?.hasBegun == false else { return nil }
            active?.hasBegun = true
            return active?.observation
        }
        if let beginning { begin(beginning) } else { deliver() }
    }

    func cancel() {
        // Released after the lock: the subscriber's end may run anybody's code.
        let ended = active.withLock { active in
            defer { active = nil }
            return active
        }
        if let ended, let observer = ended.observer { ended.observation.remove(observer) }
    }

    private func begin(_ observation: ObserverPublisher<Value>) {
        if let present = observation.present { offer(present()) }
        let observer = Observer<Value>(asks: observation.asks) { self.offer($0) }
        let isWanted = active.withLock { active in
            active?.observer = observer
            return active != nil
        }
        guard isWanted else { return }
        observation.add(observer)
        // Cancelled meanwhile, perhaps before it was there to be removed.
        if active.withLock({ $0 == nil }) { observation.remove(observer) }
    }

    private func offer(_ value: Value) {
        active.withLock { $0?.slot.put(value) }
        deliver()
    }

    private func deliver() {
        while let (value, recipient) = take() {
            let more = recipient.receive(value)
            active.withLock { $0?.slot.finish(more) }
        }
    }

    private func take() -> (Value, SendableSubscriber<Value>)? {
        active.withLock { active in
            guard let value = active?.slot.take(), let recipient = active?.recipient else { return nil }
            return (value, recipient)
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

    mutating func want(_ more: Subscribers.Demand) {
        demand += more
    }

    mutating func put(_ value: Value) {
        waiting = value
    }

    /// - Returns: what is to be handed over now; ``finish(_:)`` has to follow. `nil` while the subscriber is busy, wants
    ///   nothing, or nothing waits.
    mutating func take() -> Value? {
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
