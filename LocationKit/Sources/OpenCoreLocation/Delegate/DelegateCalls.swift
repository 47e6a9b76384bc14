@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// A pending call of a delegate's method.
enum DelegateCall: Sendable {
    case authorization
    /// In the order of arrival.
    case locations([Location])
    case heading(Heading)
    case failure(LocationError)
    /// Any other call; these are never dropped.
    case other(@Sendable (CLLocationManager, (any CLLocationManagerDelegate)?) -> Void)
}

/// The pending calls of a delegate: a pure value.
///
/// A slow delegate is called once for each kind of value, at the place of the newest one: with the newest heading and
/// failure, and the newest 256 locations.
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
