import Synchronization

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
