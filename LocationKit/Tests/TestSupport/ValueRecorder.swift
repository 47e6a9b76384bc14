import Synchronization

/// Records values in order, from any thread.
package final class ValueRecorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    package init() {}

    package var values: [Value] { recorded.withLock { $0 } }
    package var count: Int { recorded.withLock { $0.count } }

    package func append(_ value: Value) {
        recorded.withLock { $0.append(value) }
    }
}
