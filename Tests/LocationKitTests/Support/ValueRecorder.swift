import Synchronization

/// Records values in order, from any thread.
final class ValueRecorder<Value: Sendable>: Sendable {
    private let list = Mutex<[Value]>([])

    func append(_ value: Value) {
        list.withLock { $0.append(value) }
    }

    var values: [Value] { list.withLock { $0 } }
    var count: Int { list.withLock { $0.count } }
}
