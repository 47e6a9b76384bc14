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
