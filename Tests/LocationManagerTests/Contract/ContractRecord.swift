import LocationKit
import LocationModel
import Synchronization

/// What was heard so far, in its order.
final class ContractRecord<Value: Sendable>: Sendable {
    private let received = Mutex<[Value]>([])

    var values: [Value] { received.withLock { $0 } }

    func append(_ value: Value) {
        received.withLock { $0.append(value) }
    }

    /// An observer that notes what it is told.
    func observer() -> Observer<Value> {
        Observer { [self] in append($0) }
    }
}

extension ContractRecord where Value == Location {
    /// Where the locations are, which tells the tests which they are.
    var latitudes: [Double] { values.map(\.coordinate.latitude) }
}
