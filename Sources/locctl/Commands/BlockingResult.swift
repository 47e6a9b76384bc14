import Dispatch
import Synchronization

/// Blocks the calling thread, the command's only one, until LocationKit delivers a result on another thread.
func blockingResult<Value: Sendable>(_ begin: (_ completion: @escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let box = ResultBox<Value>()
    begin { box.store($0) }
    return box.wait()
}

private final class ResultBox<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isStored = DispatchSemaphore(value: 0)

    func store(_ new: Value) {
        value.withLock { $0 = new }
        isStored.signal()
    }

    func wait() -> Value {
        while true {
            isStored.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
