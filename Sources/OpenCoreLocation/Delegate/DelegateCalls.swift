import LocationKit
import LocationModel

/// One call of a delegate's method that is still to be made.
enum DelegateCall: Sendable {
    case authorization
    /// In the order they came.
    case locations([Location])
    case heading(Heading)
    case failure(LocationError)
    /// Anything else, which is never passed over.
    case other(@Sendable (CLLocationManager, (any CLLocationManagerDelegate)?) -> Void)
}

/// The calls that are still to be made: a pure value.
///
/// A delegate that is slow finds each kind of news once, where its newest came: the newest heading and failure, and
/// the newest 256 locations.
struct DelegateCalls: Sendable {
    private static let capacity = 256

    private var calls: [DelegateCall] = []

    var count: Int { calls.count }

    mutating func addAuthorization() {
        remove { if case .authorization = $0 { true } else { false } }
        calls.append(.authorization)
    }

    mutating func add(_ location: Location) {
        let earlier = calls.flatMap { if case .locations(let locations) = $0 { locations } else { [Location]() } }
        removeLocations()
        calls.append(.locations((earlier + [location]).suffix(Self.capacity)))
    }

    mutating func add(_ heading: Heading) {
        removeHeading()
        calls.append(.heading(heading))
    }

    mutating func add(_ failure: LocationError) {
        removeFailure()
        calls.append(.failure(failure))
    }

    mutating func add(_ call: @escaping @Sendable (CLLocationManager, (any CLLocationManagerDelegate)?) -> Void) {
        calls.append(.other(call))
    }

    mutating func removeLocations() {
        remove { if case .locations = $0 { true } else { false } }
    }

    mutating func removeHeading() {
        remove { if case .heading = $0 { true } else { false } }
    }

    mutating func removeFailure() {
        remove { if case .failure = $0 { true } else { false } }
    }

    mutating func popFirst() -> DelegateCall? {
        calls.isEmpty ? nil : calls.removeFirst()
    }

    private mutating func remove(_ isMeant: (DelegateCall) -> Bool) {
        calls.removeAll(where: isMeant)
    }
}
