import Synchronization

/// An observer while a manager tells it values: those on their way to where its handler runs, the newest 256.
///
/// There is one block on its way for each pending value, and each takes the oldest when it runs; so a value that gives
/// way to a newer one needs no block more, and one that is no longer wanted is not told.
final class Subscription<Value: Sendable>: Sendable {
    private struct Mailbox {
        var values: [Value] = []
        var isOpen = true
    }

    /// How many values wait for somebody slow.
    static var capacity: Int { 256 }

    let observer: Observer<Value>
    private let place: Delivery
    private let mailbox = Mutex(Mailbox())

    /// - Parameter place: where the handler runs if the observer does not say.
    init(_ observer: Observer<Value>, place: Delivery) {
        self.observer = observer
        self.place = place
    }

    /// Sends a value on its way.
    func offer(_ value: Value) {
        let needsBlock = mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return false }
            mailbox.values.append(value)
            guard mailbox.values.count > Self.capacity else { return true }
            mailbox.values.removeFirst()
            return false
        }
        guard needsBlock else { return }
        observer.handle(place) { [self] in
            mailbox.withLock { $0.values.isEmpty ? nil : $0.values.removeFirst() }
        }
    }

    /// No handler begins any more once this returns.
    func end() {
        mailbox.withLock { mailbox in
            mailbox.isOpen = false
            mailbox.values = []
        }
    }
}
