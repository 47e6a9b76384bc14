import Dispatch
import Synchronization

/// A command's only thread waits for what LocationKit brings by another.
enum Awaited {
    static func result<Value: Sendable>(_ begin: (_ completion: @escaping @Sendable (Value) -> Void) -> Void) -> Value {
        let box = Box<Value>()
        begin { box.put($0) }
        return box.take()
    }

    private final class Box<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func put(_ new: Value) {
            value.withLock { $0 = new }
            isThere.signal()
        }

        func take() -> Value {
            while true {
                isThere.wait()
                if let value = value.withLock({ $0 }) { return value }
            }
        }
    }
}
