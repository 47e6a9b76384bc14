import Synchronization

/// What was seen, in order, on whatever thread.
final class Seen<Value: Sendable>: Sendable {
    private let list = Mutex<[Value]>([])

    func append(_ value: Value) {
        list.withLock { $0.append(value) }
    }

    var values: [Value] { list.withLock { $0 } }
    var count: Int { list.withLock { $0.count } }
}
