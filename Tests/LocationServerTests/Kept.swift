import Synchronization

/// What a hook was given, in order.
final class Kept<Value: Sendable>: Sendable {
    private let contents = Mutex<[Value]>([])

    var values: [Value] { contents.withLock { $0 } }

    func append(_ value: Value) {
        contents.withLock { $0.append(value) }
    }
}
