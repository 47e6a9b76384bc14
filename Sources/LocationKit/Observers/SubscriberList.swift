import Synchronization

/// Everybody whom a manager tells values of one kind: observers, and streams over asynchronous sequences.
struct SubscriberList<Value: Sendable & Equatable> {
    private struct StreamSubscriber {
        let id: Int
        let continuation: AsyncStream<Value>.Continuation
        let pending: NewestValues<Value>
        var lastValue: Value?
    }

    private struct ObserverSubscriber {
        let subscription: Subscription<Value>
        var lastValue: Value?
    }

    /// How many values wait for one of them who is slow.
    let capacity: Int
    private var observers: [ObserverSubscriber] = []
    private var streams: [StreamSubscriber] = []

    init(capacity: Int = NewestValues<Value>.usualCapacity) {
        self.capacity = capacity
    }

    /// Whether there is an observer that asks for nothing.
    var hasPassiveObservers: Bool { observers.contains { !$0.subscription.observer.requestsUpdates } }
    /// Whether a loop or an observer asks for what it is lastValue.
    var requestsUpdates: Bool { !streams.isEmpty || observers.contains { $0.subscription.observer.requestsUpdates } }
    var isEmpty: Bool { observers.isEmpty && streams.isEmpty }

    /// Adds the observer unless it is there already, and tells it the current value if there is one.
    mutating func add(_ observer: Observer<Value>, place: Delivery, current: Value? = nil, _ outbox: inout Outbox) {
        guard !observers.contains(where: { $0.subscription.observer === observer }) else { return }
        let subscription = Subscription(observer, place: place, capacity: capacity)
        observers.append(ObserverSubscriber(subscription: subscription, lastValue: current))
        if let current { subscription.enqueue(current, &outbox) }
    }

    /// Adds a loop that was lastValue a value already, or nothing.
    mutating func add(_ continuation: AsyncStream<Value>.Continuation, id: Int, lastValue: Value?) {
        streams.append(
            StreamSubscriber(
                id: id, continuation: continuation, pending: NewestValues(capacity: capacity), lastValue: lastValue))
    }

    /// Ends the matching subscriptions, and has them released by the outbox: what a handler captured may run code of the
    /// program when it goes, which is not to be under the manager's lock.
    ///
    /// - Returns: true if the last observer that asks for nothing was among them.
    @discardableResult
    mutating func removeObservers(
        _ outbox: inout Outbox, where isMeant: (Observer<Value>) -> Bool = { _ in true }
    ) -> Bool {
        let hadPassiveObservers = hasPassiveObservers
        let gone = observers.filter { isMeant($0.subscription.observer) }.map(\.subscription)
        observers.removeAll { isMeant($0.subscription.observer) }
        for subscription in gone { subscription.close() }
        outbox.append { withExtendedLifetime(gone) {} }
        return hadPassiveObservers && !hasPassiveObservers
    }

    mutating func removeStream(_ id: Int) {
        streams.removeAll { $0.id == id }
    }

    /// Tells everybody.
    mutating func publish(_ value: Value, _ outbox: inout Outbox) {
        publish(value, &outbox) { _ in true }
    }

    /// Tells those who were not lastValue the same before.
    mutating func publishChange(_ value: Value, _ outbox: inout Outbox) {
        publish(value, &outbox) { $0 != value }
    }

    /// Everybody is lastValue the next value, even if it is the same.
    mutating func forgetLastValues() {
        for index in observers.indices { observers[index].lastValue = nil }
        for index in streams.indices { streams[index].lastValue = nil }
    }

    private mutating func publish(_ value: Value, _ outbox: inout Outbox, if isNews: (Value?) -> Bool) {
        for index in observers.indices where isNews(observers[index].lastValue) {
            observers[index].lastValue = value
            observers[index].subscription.enqueue(value, &outbox)
        }
        for index in streams.indices where isNews(streams[index].lastValue) {
            streams[index].lastValue = value
            let (continuation, pending) = (streams[index].continuation, streams[index].pending)
            guard pending.push(value) else { continue }
            outbox.append { pending.popOldest().map { _ = continuation.yield($0) } }
        }
    }
}

/// An observer while a manager tells it values: those on their way to where its handler runs, the newest
/// 256 or as many as said.
///
/// There is one block on its way for each pending value, and each takes the oldest when it runs; so a value that gives
/// way to a newer one needs no block more, and one that is no longer wanted is not lastValue.
final class Subscription<Value: Sendable>: Sendable {
    let observer: Observer<Value>
    private let place: Delivery
    private let pending: NewestValues<Value>

    /// - Parameters:
    ///   - place: where the handler runs if the observer does not say.
    ///   - capacity: how many values wait.
    init(_ observer: Observer<Value>, place: Delivery, capacity: Int) {
        self.observer = observer
        self.place = place
        pending = NewestValues(capacity: capacity)
    }

    /// Has the outbox send a value on its way. It waits here meanwhile, because the outbox, whose worker may be held up
    /// by another handler, has no bound of its own.
    func enqueue(_ value: Value, _ outbox: inout Outbox) {
        guard pending.push(value) else { return }
        outbox.append { [self] in observer.handle(place) { [self] in pending.popOldest() } }
    }

    /// No handler begins any more once this returns.
    func close() {
        pending.close()
    }
}

/// Values on their way to somebody who may be slow: the newest 256 or as many as said, the oldest of which is taken
/// first.
///
/// Ownership: they are put in under the manager's lock and taken out by whoever tells them, each move under one lock
/// that is held for nothing else.
final class NewestValues<Value: Sendable>: Sendable {
    private struct Contents {
        var values: [Value] = []
        var isOpen = true
    }

    /// How many values wait unless said otherwise.
    static var usualCapacity: Int { 256 }

    private let capacity: Int
    private let contents = Mutex(Contents())

    init(capacity: Int = usualCapacity) {
        self.capacity = capacity
    }

    /// - Returns: true if there is one more to be taken; false if it has the place of an older one, or comes too late.
    func push(_ value: Value) -> Bool {
        contents.withLock { contents in
            guard contents.isOpen else { return false }
            contents.values.append(value)
            guard contents.values.count > capacity else { return true }
            contents.values.removeFirst()
            return false
        }
    }

    func popOldest() -> Value? {
        contents.withLock { $0.values.isEmpty ? nil : $0.values.removeFirst() }
    }

    /// Nothing can be taken any more once this returns.
    func close() {
        contents.withLock { contents in
            contents.isOpen = false
            contents.values = []
        }
    }
}
