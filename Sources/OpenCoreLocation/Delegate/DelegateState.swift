import LocationKit
import LocationModel

/// What a ``CLLocationManager`` has been asked for, what it has told, and so what it has still to tell: a pure value.
struct DelegateState: Sendable {
    private(set) var isUpdating = false
    private(set) var isUpdatingHeading = false
    private(set) var isMonitoringChanges = false
    /// The last significant change.
    private(set) var change: Location?
    var regions = DelegateRegions()
    var headingFilter = HeadingFilter()
    private(set) var calls = DelegateCalls()

    /// The request that waits for its location.
    private var request: Int?
    private var lastRequest = 0
    /// True while the request waits for somebody to decide whether this program may know.
    private var requestAwaitsDecision = false
    /// The failures that were told since a location came, or since updating was started.
    private var reportedFailures: Set<CLError.Code> = []
    private var lastAuthorization: Authorization?

    private struct Authorization: Hashable {
        let status: AuthorizationStatus
        let accuracy: AccuracyAuthorization
    }

    /// What was told last.
    var authorization: AuthorizationStatus? { lastAuthorization?.status }

    // MARK: What is asked

    mutating func startUpdating() {
        request = nil
        guard !isUpdating else { return }
        isUpdating = true
        reportedFailures = []
    }

    mutating func stopUpdating() {
        isUpdating = false
        request = nil
        if !isMonitoringChanges { calls.removeLocations() }
        if !isUpdatingHeading { calls.removeFailure() }
    }

    mutating func startUpdatingHeading() {
        guard !isUpdatingHeading else { return }
        isUpdatingHeading = true
        headingFilter.reset()
        if !isUpdating { reportedFailures = [] }
    }

    mutating func stopUpdatingHeading() {
        isUpdatingHeading = false
        calls.removeHeading()
        if !isUpdating { calls.removeFailure() }
    }

    mutating func setChanges(_ isWanted: Bool) {
        guard isMonitoringChanges != isWanted else { return }
        isMonitoringChanges = isWanted
        if isWanted, !isUpdating, !isUpdatingHeading { reportedFailures = [] }
        if !isWanted, !isUpdating { calls.removeLocations() }
    }

    /// - Returns: the request's number; `nil` if there is one already, or locations come anyway.
    mutating func startRequest() -> Int? {
        guard !isUpdating, request == nil else { return nil }
        lastRequest += 1
        request = lastRequest
        requestAwaitsDecision = false
        return lastRequest
    }

    /// - Returns: the number of the request that is to be made again, because somebody has decided.
    mutating func resumeRequest() -> Int? {
        guard requestAwaitsDecision, request != nil else { return nil }
        switch authorization {
        case nil, .notDetermined: return nil
        case .denied, .restricted, .authorizedWhenInUse, .authorizedAlways, .unknown: break
        }
        requestAwaitsDecision = false
        return request
    }

    /// - Returns: the number of the request if it is to be made again.
    mutating func endRequest(_ number: Int, _ result: Result<Location, LocationError>) -> Int? {
        guard request == number else { return nil }
        if case .failure(.unauthorized(.notDetermined, _)) = result {
            requestAwaitsDecision = true
            // The decision may have come while the answer was on its way.
            return resumeRequest()
        }
        request = nil
        switch result {
        case .success(let location), .failure(.timedOut(let location?)), .failure(.unavailable(_, let location?)):
            calls.add(location)
        case .failure(let error): calls.add(error)
        }
        return nil
    }

    /// The delegate has changed: what the one before was to hear is not for the new one, but the authorization is.
    mutating func changeDelegate() {
        calls.removeLocations()
        calls.removeHeading()
        calls.removeFailure()
        if lastAuthorization != nil { calls.addAuthorization() }
    }

    mutating func add(_ call: @escaping @Sendable (CLLocationManager, (any CLLocationManagerDelegate)?) -> Void) {
        calls.add(call)
    }

    mutating func next() -> DelegateCall? {
        calls.popFirst()
    }

    // MARK: What comes

    mutating func receive(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization) {
        let authorization = Authorization(status: status, accuracy: accuracy)
        guard authorization != lastAuthorization else { return }
        lastAuthorization = authorization
        reportedFailures.remove(.denied)
        calls.addAuthorization()
    }

    mutating func receive(_ location: Location, _ accuracy: AccuracyAuthorization) {
        if let status = authorization { receive(status, accuracy) }
        guard isUpdating else { return }
        reportedFailures = []
        calls.add(location)
    }

    mutating func receive(change: Location) {
        guard isMonitoringChanges else { return }
        self.change = change
        reportedFailures = []
        calls.add(change)
    }

    mutating func receive(ofChanges error: LocationError) {
        if isMonitoringChanges { reportFailure(error) }
    }

    mutating func receive(_ heading: Heading) {
        guard isUpdatingHeading, headingFilter.admits(heading) else { return }
        calls.add(heading)
    }

    mutating func receive(_ error: LocationError) {
        if isUpdating || isUpdatingHeading { reportFailure(error) }
    }

    private mutating func reportFailure(_ error: LocationError) {
        // Apple's says nothing before somebody has decided.
        if case .unauthorized(.notDetermined, _) = error { return }
        if reportedFailures.insert(CLError(error).code).inserted { calls.add(error) }
    }

    /// The service cannot be reached: the authorization is what it was, or not known.
    mutating func connectionLost() {
        if lastAuthorization == nil { receive(.notDetermined, .full) }
    }
}

/// Which headings are lastAuthorization: those that differ enough from the last one lastAuthorization.
struct HeadingFilter: Sendable {
    /// Degrees; nothing is held back at 0, below it, or without a number.
    var degrees: Double = 1
    private var last: Double?

    /// The next heading is told, whatever it is.
    mutating func reset() {
        last = nil
    }

    /// True if the heading is to be told; it is compared with later ones then.
    mutating func admits(_ heading: Heading) -> Bool {
        guard let direction = heading.magneticHeading ?? heading.trueHeading else { return false }
        if let last, degrees > 0, Self.angle(from: last, to: direction) < degrees { return false }
        last = direction
        return true
    }

    /// The smaller angle between two directions, 0...180 degrees.
    private static func angle(from one: Double, to other: Double) -> Double {
        let turn = abs(one - other).truncatingRemainder(dividingBy: 360)
        return min(turn, 360 - turn)
    }
}
