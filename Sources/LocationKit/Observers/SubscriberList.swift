import Synchronization

/// Everybody whom a manager tells values of one kind: observers, and loops over asynchronous sequences.
struct SubscriberList<Value: Sendable & Equatable> {
    private struct Loop {
        let id: Int
        let continuation: AsyncStream<Value>.Continuation
        let pending: NewestValues<Value>
        var told: Value?
    }

    private struct Listener {
        let subscription: Subscription<Value>
        var told: Value?
    }

    /// How many values wait for one of them who is slow.
    let capacity: Int
    private var listeners: [Listener] = []
    private var loops: [Loop] = []

    init(capacity: Int = NewestValues<Value>.usualCapacity) {
        self.capacity = capacity
    }

    /// Whether there is an observer that asks for nothing.
    var hasOnlookers: Bool { listeners.contains { !$0.subscription.observer.asks } }
    /// Whether a loop or an observer asks for what it is told.
    var asks: Bool { !loops.isEmpty || listeners.contains { $0.subscription.observer.asks } }
    var isEmpty: Bool { listeners.isEmpty && loops.isEmpty }

    /// Adds the observer unless it is there already, and tells it the present value if there is one.
    mutating func add(_ observer: Observer<Value>, place: Delivery, present: Value? = nil, _ outbox: inout Outbox) {
        guard !listeners.contains(where: { $0.subscription.observer === observer }) else { return }
        let subscription = Subscription(observer, place: place, capacity: capacity)
        listeners.append(Listener(subscription: subscription, told: present))
        if let present { subscription.offer(present, &outbox) }
    }

    /// Adds a loop that was told a value already, or nothing.
    mutating func add(_ continuation: AsyncStream<Value>.Continuation, id: Int, told: Value?) {
        loops.append(
            Loop(id: id, continuation: continuation, pending: NewestValues(capacity: capacity), told: told))
    }

    /// Ends the matching subscriptions, and has them released by the outbox: what a handler captured may run code of the
    /// program when it goes, which is not to be under the manager's lock.
    ///
    /// - Returns: true if the last observer that asks for nothing was among them.
    @discardableResult
    mutating func removeObservers(
        _ outbox: inout Outbox, where isMeant: (Observer<Value>) -> Bool = { _ in true }
    ) -> Bool {
        let hadOnlookers = hasOnlookers
        let gone = listeners.filter { isMeant($0.subscription.observer) }.map(\.subscription)
        listeners.removeAll { isMeant($0.subscription.observer) }
        for subscription in gone { subscription.end() }
        outbox.append { withExtendedLifetime(gone) {} }
        return hadOnlookers && !hasOnlookers
    }

    mutating func removeLoop(_ id: Int) {
        loops.removeAll { $0.id == id }
    }

    /// Tells everybody.
    mutating func tell(_ value: Value, _ outbox: inout Outbox) {
        tell(value, &outbox) { _ in true }
    }

    /// Tells those who were not told the same before.
    mutating func tellChange(_ value: Value, _ outbox: inout Outbox) {
        tell(value, &outbox) { $0 != value }
    }

    /// Everybody is told the next value, even if it is the same.
    mutating func forgetTold() {
        for index in listeners.indices { listeners[index].told = nil }
        for index in loops.indices { loops[index].told = nil }
    }

    private mutating func tell(_ value: Value, _ outbox: inout Outbox, if isNews: (Value?) -> Bool) {
        for index in listeners.indices where isNews(listeners[index].told) {
            listeners[index].told = value
            listeners[index].subscription.offer(value, &outbox)
        }
        for index in loops.indices where isNews(loops[index].told) {
            loops[index].told = value
            let (continuation, pending) = (loops[index].continuation, loops[index].pending)
            guard pending.put(value) else { continue }
            outbox.append { pending.take().map { _ = continuation.yield($0) } }
        }
    }
}

/// An observer while a manager tells it values: those on their way to where its handler runs, the newest
/// 256 or as many as said.
///
/// There is one block on its way for each pending value, and each takes the oldest when it runs; so a value that gives
/// way to a newer one needs no block more, and one that is no longer wanted is not told.
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
    func offer(_ value: Value, _ outbox: inout Outbox) {
        guard pending.put(value) else { return }
        outbox.append { [self] in observer.handle(place) { [self] in pending.take() } }
    }

    /// No handler begins any more once this returns.
    func end() {
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
    func put(_ value: Value) -> Bool {
        contents.withLock { contents in
            guard contents.isOpen else { return false }
            contents.values.append(value)
            guard contents.values.count > capacity else { return true }
            contents.values.removeFirst()
            return false
        }
    }

    func take() -> Value? {
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
