import LocationKit
import LocationModel
import Synchronization

/// The values that were delivered, in order.
final class ContractRecord<Value: Sendable>: Sendable {
    private let received = Mutex<[Value]>([])

    var values: [Value] { received.withLock { $0 } }

    func append(_ value: Value) {
        received.withLock { $0.append(value) }
    }

    /// An observer that records what it receives.
    func observer() -> Observer<Value> {
        Observer { [self] in append($0) }
    }
}

extension ContractRecord where Value == Location {
    /// The latitudes, by which the tests tell the locations apart.
    var latitudes: [Double] { values.map(\.coordinate.latitude) }
}
