import Synchronization

/// The subscribers to values of one kind: observers, and asynchronous sequences.
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

    /// How many values are buffered for a slow subscriber.
    let capacity: Int
    private var observers: [ObserverSubscriber] = []
    private var streams: [StreamSubscriber] = []

    init(capacity: Int = NewestValues<Value>.usualCapacity) {
        self.capacity = capacity
    }

    /// Whether there is an observer that does not request updates.
    var hasPassiveObservers: Bool { observers.contains { !$0.subscription.observer.requestsUpdates } }
    /// Whether a sequence or an observer requests updates.
    var requestsUpdates: Bool { !streams.isEmpty || observers.contains { $0.subscription.observer.requestsUpdates } }
    var isEmpty: Bool { observers.isEmpty && streams.isEmpty }

    /// Adds the observer unless it is in the list, and gives it the current value if there is one.
    mutating func add(_ observer: Observer<Value>, place: Delivery, current: Value? = nil, _ outbox: inout Outbox) {
        guard !observers.contains(where: { $0.subscription.observer === observer }) else { return }
        let subscription = Subscription(observer, place: place, capacity: capacity)
        observers.append(ObserverSubscriber(subscription: subscription, lastValue: current))
        if let current { subscription.enqueue(current, &outbox) }
    }

    /// Adds a sequence that has already received `lastValue`, if that is not `nil`.
    mutating func add(_ continuation: AsyncStream<Value>.Continuation, id: Int, lastValue: Value?) {
        streams.append(
            StreamSubscriber(
                id: id, continuation: continuation, pending: NewestValues(capacity: capacity), lastValue: lastValue))
    }

    /// Ends the matching subscriptions. They are released by the outbox, because releasing what a handler captured may
    /// run code of the program, which must not happen under the manager's lock.
    ///
    /// - Returns: true if the last observer that does not request updates was removed.
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

    /// Publishes to all subscribers.
    mutating func publish(_ value: Value, _ outbox: inout Outbox) {
        publish(value, &outbox) { _ in true }
    }

    /// Publishes to the subscribers whose last value differs.
    mutating func publishChange(_ value: Value, _ outbox: inout Outbox) {
        publish(value, &outbox) { $0 != value }
    }

    /// The next value is published to all subscribers, even if it is the same.
    mutating func forgetLastValues() {
        for index in observers.indices { observers[index].lastValue = nil }
        for index in streams.indices { streams[index].lastValue = nil }
    }

    private mutating func publish(_ value: Value, _ outbox: inout Outbox, if isNew: (Value?) -> Bool) {
        for index in observers.indices where isNew(observers[index].lastValue) {
            observers[index].lastValue = value
            observers[index].subscription.enqueue(value, &outbox)
        }
        for index in streams.indices where isNew(streams[index].lastValue) {
            streams[index].lastValue = value
            let (continuation, pending) = (streams[index].continuation, streams[index].pending)
            guard pending.push(value) else { continue }
            outbox.append { pending.popOldest().map { _ = continuation.yield($0) } }
        }
    }
}

/// The subscription of one observer: buffers the newest 256 values, or as many as given, until the handler has run.
///
/// Each buffered value has one block on its way to the handler, and each block takes the oldest value when it runs. A
/// value that replaces an older one therefore needs no further block, and after ``close()`` the blocks do nothing.
final class Subscription<Value: Sendable>: Sendable {
    let observer: Observer<Value>
    private let place: Delivery
    private let pending: NewestValues<Value>

    /// - Parameters:
    ///   - place: where the handler runs if the observer has no delivery of its own.
    ///   - capacity: how many values are buffered.
    init(_ observer: Observer<Value>, place: Delivery, capacity: Int) {
        self.observer = observer
        self.place = place
        pending = NewestValues(capacity: capacity)
    }

    /// Buffers the value and has the outbox schedule the handler. The value is buffered here because the outbox is
    /// unbounded, and another handler may block the thread that drains it.
    func enqueue(_ value: Value, _ outbox: inout Outbox) {
        guard pending.push(value) else { return }
        outbox.append { [self] in observer.handle(place) { [self] in pending.popOldest() } }
    }

    /// Once this returns, no further call of the handler begins.
    func close() {
        pending.close()
    }
}

/// A bounded first-in, first-out buffer for a slow subscriber: the newest 256 values, or as many as given.
///
/// Ownership: values are pushed under the manager's lock and popped by the delivering thread, each under a lock that is
/// held for nothing else.
final class NewestValues<Value: Sendable>: Sendable {
    private struct Contents {
        var values: [Value] = []
        var isOpen = true
    }

    /// The default capacity.
    static var usualCapacity: Int { 256 }

    private let capacity: Int
    private let contents = Mutex(Contents())

    init(capacity: Int = usualCapacity) {
        self.capacity = capacity
    }

    /// - Returns: true if the buffer has grown; false if the value replaced the oldest one, or the buffer is closed.
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

    /// Once this returns, no value can be popped any more.
    func close() {
        contents.withLock { contents in
            contents.isOpen = false
            contents.values = []
        }
    }
}
